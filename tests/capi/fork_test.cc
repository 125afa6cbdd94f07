// A client after fork(): the child is told, and can make its own.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "gtest/gtest.h"
#include "owned_handles.h"
#include "parity.h"
#include "stripe.h"

namespace parity::capi {
namespace {

constexpr parity_geometry kTwoAndOne = {PARITY_CODE_XOR, 0, 2, 1, nullptr, 0};

// What a child of this process returns.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

parity_status Encode(parity_client* client, const Stripe& stripe, parity_error* error) {
  Outputs parity(1, 100);
  return parity_encode(client, &kTwoAndOne, 100, stripe.shards().data(), nullptr, 2,
                       parity.pointers(), 1, nullptr, error);
}

TEST(CapiFork, TheChildIsToldAndTheParentGoesOn) {
  const Stripe stripe(kTwoAndOne, 100, 1);
  ClientHandle client = MakeClient({{"target", "unix:/none"}, {"policy", "prefer-local"}});
  parity_error error = Dirty();
  ASSERT_EQ(Encode(client.get(), stripe, &error), PARITY_OK) << error.message;
  EXPECT_EQ(InChild([&] { return Encode(client.get(), stripe, &error); }),
            PARITY_FAILED_PRECONDITION);
  EXPECT_EQ(InChild([&] {
              parity_stats* stats = nullptr;
              return parity_stats_take(client.get(), &stats, &error);
            }),
            PARITY_FAILED_PRECONDITION);
  EXPECT_EQ(InChild([&] {
              parity_buffer* buffer = nullptr;
              return parity_buffer_allocate(client.get(), 1, &buffer, &error);
            }),
            PARITY_FAILED_PRECONDITION);
  EXPECT_EQ(InChild([&] {
              client = nullptr;
              return 7;
            }),
            7);
  EXPECT_EQ(InChild([&] { return Encode(MakeClient().get(), stripe, &error); }), PARITY_OK);
  EXPECT_EQ(Encode(client.get(), stripe, &error), PARITY_OK) << error.message;
}

}  // namespace
}  // namespace parity::capi
