#include "owned_handles.h"

#include <cstring>

namespace parity::capi {

std::string Said(parity_status status, const parity_error& error) {
  EXPECT_EQ(status == PARITY_OK, error.message[0] == '\0') << error.message;
  return std::to_string(status) + " " + error.field;
}

parity_error Dirty() {
  parity_error error;
  std::memset(&error, 'x', sizeof error);
  return error;
}

OptionsHandle MakeOptions(const Settings& settings) {
  OptionsHandle options(parity_options_new());
  for (const auto& [name, value] : settings) {
    parity_error error = Dirty();
    const parity_status status =
        name == "target" ? parity_options_add_target(options.get(), value.c_str(), &error)
                         : parity_options_set(options.get(), name.c_str(), value.c_str(), &error);
    EXPECT_EQ(status, PARITY_OK) << error.message;
  }
  return options;
}

ClientHandle MakeClient(const Settings& settings) {
  parity_client* client = nullptr;
  parity_error error = Dirty();
  const parity_status status = parity_client_new(MakeOptions(settings).get(), &client, &error);
  EXPECT_EQ(status, PARITY_OK) << error.message;
  return ClientHandle(client);
}

uint64_t Counter(const parity_client* client, const std::string& name) {
  parity_stats* taken = nullptr;
  EXPECT_EQ(parity_stats_take(client, &taken, nullptr), PARITY_OK);
  const StatsHandle stats(taken);
  uint64_t value = UINT64_MAX;
  EXPECT_EQ(parity_stats_get(stats.get(), name.c_str(), &value, nullptr), PARITY_OK) << name;
  return value;
}

uint64_t ServerCounter(const parity_client* client, const std::string& name) {
  parity_stats* taken = nullptr;
  EXPECT_EQ(parity_stats_take(client, &taken, nullptr), PARITY_OK);
  const StatsHandle stats(taken);
  uint64_t value = UINT64_MAX;
  EXPECT_EQ(parity_stats_server_get(stats.get(), 0, name.c_str(), &value, nullptr), PARITY_OK)
      << name;
  return value;
}

}  // namespace parity::capi
