// Options by name, and the clients made with them.
#include <cstring>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "handles.h"
#include "owned_handles.h"
#include "parity.h"
#include "parity/client/client.h"

namespace parity::capi {
namespace {

std::string Set(const char* name, const char* value) {
  const OptionsHandle options(parity_options_new());
  parity_error error = Dirty();
  const parity_status status = parity_options_set(options.get(), name, value, &error);
  return Said(status, error);
}

// What parity_client_new says of one option; it makes no client then.
std::string Make(const Settings& settings) {
  const OptionsHandle options = MakeOptions(settings);
  parity_error error = Dirty();
  parity_client* client = reinterpret_cast<parity_client*>(&error);
  const parity_status status = parity_client_new(options.get(), &client, &error);
  EXPECT_EQ(client == nullptr, status != PARITY_OK);
  parity_client_free(client);
  return Said(status, error);
}

TEST(CapiOptions, SetEveryOptionOfTheHeader) {
  const OptionsHandle handle = MakeOptions({
      {"target", "127.0.0.1:1"},   {"target", "unix:/none"},
      {"policy", "prefer-local"},  {"deadline", "1m30s"},
      {"attempt_timeout", "2.5s"}, {"max_attempts", "3"},
      {"retry_ratio", "0.25"},     {"retry_tokens", "10"},
      {"first_backoff", "1ms"},    {"longest_backoff", "2ms"},
      {"hedge_after", "10ms"},     {"connections", "2"},
      {"resolve_interval", "3s"},  {"slice_bytes", "65536"},
      {"slices_in_flight", "1"},   {"kernels", "scalar"},
      {"keepalive", "4s"},         {"spin", "5us"},
      {"region_bytes", "6000000"}, {"checksum_from_bytes", "18446744073709551615"},
  });
  const client::ClientOptions& options = handle->options;
  EXPECT_THAT(options.targets, ::testing::ElementsAre("127.0.0.1:1", "unix:/none"));
  EXPECT_EQ(options.policy, client::Policy::kPreferLocal);
  EXPECT_EQ(options.deadline, absl::Seconds(90));
  EXPECT_EQ(options.attempt_timeout, absl::Milliseconds(2500));
  EXPECT_EQ(options.max_attempts, 3);
  EXPECT_EQ(options.retry_ratio, 0.25);
  EXPECT_EQ(options.retry_tokens, 10);
  EXPECT_EQ(options.first_backoff, absl::Milliseconds(1));
  EXPECT_EQ(options.longest_backoff, absl::Milliseconds(2));
  EXPECT_EQ(options.hedge_after, absl::Milliseconds(10));
  EXPECT_EQ(options.connections, 2);
  EXPECT_EQ(options.resolve_interval, absl::Seconds(3));
  EXPECT_EQ(options.slice_bytes, 65536U);
  EXPECT_EQ(options.slices_in_flight, 1);
  EXPECT_EQ(options.kernels, "scalar");
  EXPECT_EQ(options.connection.keepalive, absl::Seconds(4));
  EXPECT_EQ(options.connection.spin, absl::Microseconds(5));
  EXPECT_EQ(options.connection.region_bytes, 6'000'000U);
  EXPECT_EQ(options.connection.checksum_from_bytes, UINT64_MAX);
}

// What the header says they are.
TEST(CapiOptions, HaveTheDefaultsOfTheHeader) {
  const OptionsHandle handle(parity_options_new());
  const client::ClientOptions& options = handle->options;
  EXPECT_TRUE(options.targets.empty());
  EXPECT_EQ(options.policy, client::Policy::kPreferRemote);
  EXPECT_EQ(options.deadline, absl::Seconds(30));
  EXPECT_EQ(options.attempt_timeout, absl::Seconds(5));
  EXPECT_EQ(options.max_attempts, 8);
  EXPECT_EQ(options.retry_ratio, 0.1);
  EXPECT_EQ(options.retry_tokens, 100);
  EXPECT_EQ(options.first_backoff, absl::Milliseconds(20));
  EXPECT_EQ(options.longest_backoff, absl::Seconds(1));
  EXPECT_EQ(options.hedge_after, absl::ZeroDuration());
  EXPECT_EQ(options.connections, 1);
  EXPECT_EQ(options.resolve_interval, absl::Seconds(30));
  EXPECT_EQ(options.slice_bytes, 8'388'608U);
  EXPECT_EQ(options.slices_in_flight, 2);
  EXPECT_EQ(options.kernels, "auto");
  EXPECT_EQ(options.connection.keepalive, absl::Seconds(30));
  EXPECT_EQ(options.connection.spin, absl::Microseconds(50));
  EXPECT_EQ(options.connection.region_bytes, 67'108'864U);
  EXPECT_EQ(options.connection.checksum_from_bytes, 0U);
}

TEST(CapiOptions, ErrorsOfClientsNameThem) {
  const std::pair<std::string, std::string> wrong[] = {
      {"deadline", "0"},          {"attempt_timeout", "-1s"}, {"max_attempts", "0"},
      {"retry_ratio", "2"},       {"retry_tokens", "-1"},     {"first_backoff", "0"},
      {"longest_backoff", "0"},   {"hedge_after", "-1ms"},    {"connections", "65"},
      {"resolve_interval", "0s"}, {"slice_bytes", "65535"},   {"slices_in_flight", "0"},
  };
  for (const auto& [name, value] : wrong) EXPECT_EQ(Make({{name, value}}), "3 " + name);
  EXPECT_EQ(Make({{"policy", "remote-only"}}), "3 targets");
  EXPECT_EQ(Make({{"target", "127.0.0.1:1"}, {"target", "unix:"}}), "3 targets[1]");
  Settings many(65, {"target", "127.0.0.1:1"});
  EXPECT_EQ(Make(many), "3 targets");
}

TEST(CapiOptions, NameAWrongKernelTableAndListTheOthers) {
  parity_client* client = nullptr;
  parity_error error = Dirty();
  const parity_status status =
      parity_client_new(MakeOptions({{"kernels", "abacus"}}).get(), &client, &error);
  EXPECT_EQ(Said(status, error), "3 kernels");
  EXPECT_NE(std::string(error.message).find("scalar"), std::string::npos) << error.message;
}

TEST(CapiOptions, RefuseValuesOfAnotherKind) {
  EXPECT_EQ(Set("deadline", "5"), "3 deadline") << "a duration without a unit";
  EXPECT_EQ(Set("deadline", ""), "3 deadline");
  EXPECT_EQ(Set("max_attempts", "4x"), "3 max_attempts");
  EXPECT_EQ(Set("max_attempts", "99999999999"), "3 max_attempts");
  EXPECT_EQ(Set("slice_bytes", "-1"), "3 slice_bytes");
  EXPECT_EQ(Set("retry_ratio", "some"), "3 retry_ratio");
  EXPECT_EQ(Set("policy", "prefer"), "3 policy");
  EXPECT_EQ(Set("Deadline", "5s"), "3 name");
  EXPECT_EQ(Set("", "5s"), "3 name");
}

TEST(CapiOptions, KeepTheirValueWhenAnotherIsRefused) {
  const OptionsHandle options = MakeOptions({{"kernels", "scalar"}, {"max_attempts", "0"}});
  parity_error error = Dirty();
  EXPECT_EQ(parity_options_set(options.get(), "max_attempts", "x", &error),
            PARITY_INVALID_ARGUMENT);
  parity_client* client = nullptr;
  const parity_status status = parity_client_new(options.get(), &client, &error);
  EXPECT_EQ(Said(status, error), "3 max_attempts");
}

TEST(CapiOptions, NameNullArguments) {
  const OptionsHandle options(parity_options_new());
  parity_error error = Dirty();
  EXPECT_EQ(Said(parity_options_set(nullptr, "spin", "1us", &error), error), "3 options");
  EXPECT_EQ(Said(parity_options_set(options.get(), nullptr, "1us", &error), error), "3 name");
  EXPECT_EQ(Said(parity_options_set(options.get(), "spin", nullptr, &error), error), "3 value");
  EXPECT_EQ(Said(parity_options_add_target(nullptr, "a:1", &error), error), "3 options");
  EXPECT_EQ(Said(parity_options_add_target(options.get(), nullptr, &error), error), "3 target");
  EXPECT_EQ(Said(parity_options_set_log(nullptr, nullptr, nullptr, &error), error), "3 options");
  EXPECT_EQ(Said(parity_client_new(options.get(), nullptr, &error), error), "3 client");
}

TEST(CapiOptions, ThatAreNullAreTheDefaults) {
  parity_client* client = nullptr;
  EXPECT_EQ(parity_client_new(nullptr, &client, nullptr), PARITY_OK);
  const ClientHandle owned(client);
  EXPECT_STRNE(parity_kernels_in_use(client), nullptr);
}

TEST(CapiOptions, ChooseTheKernelsInUse) {
  EXPECT_STREQ(parity_kernels_in_use(MakeClient({{"kernels", "scalar"}}).get()), "scalar");
}

// A name of 2-byte characters that is cut off: not within one.
TEST(CapiOptions, ErrorsAreCutOffBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "\xc3\xa9";
  for (const std::string& text : {name, "x" + name}) {
    const OptionsHandle options(parity_options_new());
    parity_error error = Dirty();
    EXPECT_EQ(parity_options_set(options.get(), text.c_str(), "1", &error),
              PARITY_INVALID_ARGUMENT);
    const size_t bytes = std::strlen(error.message);
    EXPECT_GE(bytes, sizeof error.message - 2);
    EXPECT_LT(bytes, sizeof error.message);
    EXPECT_EQ(error.message[bytes - 1], '\xa9');
  }
}

}  // namespace
}  // namespace parity::capi
