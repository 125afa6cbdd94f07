// Handles of the C API that free themselves, and what a call said.
#ifndef PARITY_TESTS_CAPI_OWNED_HANDLES_H_
#define PARITY_TESTS_CAPI_OWNED_HANDLES_H_

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "parity.h"

namespace parity::capi {

template <auto kFree>
struct Free {
  template <class Handle>
  void operator()(Handle* handle) const {
    kFree(handle);
  }
};
using OptionsHandle = std::unique_ptr<parity_options, Free<parity_options_free>>;
using ClientHandle = std::unique_ptr<parity_client, Free<parity_client_free>>;
using BufferHandle = std::unique_ptr<parity_buffer, Free<parity_buffer_free>>;
using StatsHandle = std::unique_ptr<parity_stats, Free<parity_stats_free>>;
using CancellationHandle = std::unique_ptr<parity_cancellation, Free<parity_cancellation_free>>;

// How a call ended, and what it wrote to its parity_error: "3 shards[1]", "0 ".
std::string Said(parity_status status, const parity_error& error);

// An error with something in it, which every call has to replace.
parity_error Dirty();

using Settings = std::vector<std::pair<std::string, std::string>>;

// Options with these; a target is called "target". Fails the test if one is refused.
OptionsHandle MakeOptions(const Settings& settings);
// A client; fails the test if it cannot be made.
ClientHandle MakeClient(const Settings& settings = {});

// Of a new snapshot. Fails the test if there is no such counter.
uint64_t Counter(const parity_client* client, const std::string& name);

// Of the first server.
uint64_t ServerCounter(const parity_client* client, const std::string& name);

}  // namespace parity::capi

#endif  // PARITY_TESTS_CAPI_OWNED_HANDLES_H_
