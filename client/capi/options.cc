// Options by name, so that a new one needs no new function.
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "boundary.h"
#include "handles.h"
#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

using codec::InvalidField;

// Each sets an option from its text. True if that is one of its kind.
bool Parse(absl::string_view text, absl::Duration& option) {
  return absl::ParseDuration(text, &option);
}
bool Parse(absl::string_view text, int& option) { return absl::SimpleAtoi(text, &option); }
bool Parse(absl::string_view text, uint64_t& option) { return absl::SimpleAtoi(text, &option); }
bool Parse(absl::string_view text, double& option) { return absl::SimpleAtod(text, &option); }
bool Parse(absl::string_view text, std::string& option) {
  option.assign(text.data(), text.size());
  return true;
}
bool Parse(absl::string_view text, client::Policy& option) {
  const absl::StatusOr<client::Policy> policy = client::PolicyFromName({text.data(), text.size()});
  if (policy.ok()) option = *policy;
  return policy.ok();
}

std::string_view Wanted(const absl::Duration&) { return "a duration such as 250ms or 5s"; }
std::string_view Wanted(const int&) { return "a whole number"; }
std::string_view Wanted(const uint64_t&) { return "a whole number, 0 or more"; }
std::string_view Wanted(const double&) { return "a number"; }
std::string_view Wanted(const std::string&) { return "a text"; }
std::string_view Wanted(const client::Policy&) {
  return "remote-only, prefer-remote, prefer-local or fastest";
}

using Option =
    std::variant<absl::Duration*, int*, uint64_t*, double*, std::string*, client::Policy*>;

absl::StatusOr<Option> OptionNamed(client::ClientOptions& options, std::string_view name) {
  client::ConnectionOptions& connection = options.connection;
  const std::pair<std::string_view, Option> named[] = {
      {"policy", &options.policy},
      {"deadline", &options.deadline},
      {"attempt_timeout", &options.attempt_timeout},
      {"max_attempts", &options.max_attempts},
      {"retry_ratio", &options.retry_ratio},
      {"retry_tokens", &options.retry_tokens},
      {"first_backoff", &options.first_backoff},
      {"longest_backoff", &options.longest_backoff},
      {"hedge_after", &options.hedge_after},
      {"connections", &options.connections},
      {"resolve_interval", &options.resolve_interval},
      {"slice_bytes", &options.slice_bytes},
      {"slices_in_flight", &options.slices_in_flight},
      {"kernels", &options.kernels},
      {"keepalive", &connection.keepalive},
      {"checksum_from_bytes", &connection.checksum_from_bytes},
      {"region_bytes", &connection.region_bytes},
      {"spin", &connection.spin},
      {"tls_ca", &connection.tls.ca_file},
      {"tls_certificate", &connection.tls.certificate_file},
      {"tls_key", &connection.tls.key_file},
      {"tls_server_name", &connection.tls.server_name},
  };
  for (const auto& [known, option] : named) {
    if (known == name) return option;
  }
  return InvalidField("name", name, "an option of parity_options_set");
}

// The option keeps its value if the text is none.
absl::Status SetOption(client::ClientOptions& options, const char* name, const char* value) {
  const absl::StatusOr<Option> option = OptionNamed(options, name);
  if (!option.ok()) return option.status();
  return std::visit(
      [&](auto* place) {
        auto parsed = *place;
        if (!Parse(value, parsed)) return InvalidField(name, value, Wanted(parsed));
        *place = std::move(parsed);
        return absl::OkStatus();
      },
      *option);
}

}  // namespace
}  // namespace parity::capi

using parity::capi::AtBoundary;
using parity::capi::NullArgument;

parity_options* parity_options_new(void) {
  try {
    return new parity_options;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void parity_options_free(parity_options* options) { delete options; }

parity_status parity_options_add_target(parity_options* options, const char* target,
                                        parity_error* error) {
  return AtBoundary(error, [&] {
    if (options == nullptr) return NullArgument("options");
    if (target == nullptr) return NullArgument("target");
    options->options.targets.emplace_back(target);
    return absl::OkStatus();
  });
}

parity_status parity_options_set(parity_options* options, const char* name, const char* value,
                                 parity_error* error) {
  return AtBoundary(error, [&] {
    if (options == nullptr) return NullArgument("options");
    if (name == nullptr) return NullArgument("name");
    if (value == nullptr) return NullArgument("value");
    return parity::capi::SetOption(options->options, name, value);
  });
}

parity_status parity_options_set_log(parity_options* options, parity_log log, void* user,
                                     parity_error* error) {
  return AtBoundary(error, [&] {
    if (options == nullptr) return NullArgument("options");
    options->options.log = nullptr;
    if (log != nullptr) {
      options->options.log = [log, user](const std::string& line) { log(user, line.c_str()); };
    }
    return absl::OkStatus();
  });
}
