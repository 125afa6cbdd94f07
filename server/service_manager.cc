#include "service_manager.h"

#include <systemd/sd-daemon.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace parity::service_manager {
namespace {

// To close what is still open after the limit, and to end.
constexpr absl::Duration kMargin = absl::Seconds(5);

void Tell(const std::string& state) {
  const int error = sd_notify(/*unset_environment=*/0, state.c_str());
  if (error < 0) spdlog::warn("the service manager cannot be told: {}", std::strerror(-error));
}

}  // namespace

void TellServing() { Tell("READY=1\nSTATUS=serving"); }

void TellStopping(absl::Duration limit) {
  Tell(absl::StrCat("STOPPING=1\nSTATUS=finishing the calls under way\nEXTEND_TIMEOUT_USEC=",
                    absl::ToInt64Microseconds(limit + kMargin)));
}

}  // namespace parity::service_manager
