#include "parity/client/call_options.h"

#include <algorithm>
#include <utility>

#include "parity/codec/field_error.h"

namespace parity::client {

void Cancellation::Cancel() {
  // Under the lock, so that a listener that goes waits for its callback.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
  for (const std::function<void()>& callback : callbacks_) callback();
}

Cancellation::Listener::Listener(Cancellation* cancellation, std::function<void()> callback)
    : cancellation_(cancellation) {
  if (cancellation == nullptr) return;
  const std::lock_guard<std::mutex> lock(cancellation->mutex_);
  if (cancellation->is_cancelled()) callback();
  place_ = cancellation->callbacks_.insert(cancellation->callbacks_.end(), std::move(callback));
}

Cancellation::Listener::~Listener() {
  if (cancellation_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(cancellation_->mutex_);
  cancellation_->callbacks_.erase(place_);
}

bool IsTraceparent(std::string_view text) {
  constexpr std::string_view kForm = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
  constexpr std::string_view kHex = "0123456789abcdef";
  // Version ff is forbidden; later ones than 00 may have more behind these fields.
  const bool has_more = text.size() > kForm.size();
  if (text.size() < kForm.size() || text.substr(0, 2) == "ff") return false;
  if (has_more && (text[kForm.size()] != '-' || text.substr(0, 2) == "00")) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == '-' ? text[i] == '-' : kHex.find(text[i]) != kHex.npos;
    if (!fits) return false;
  }
  const auto is_graphic = [](char c) { return c > ' ' && c < 0x7f; };
  if (!std::all_of(text.begin(), text.end(), is_graphic)) return false;
  const auto has_nonzero = [&text](size_t from, size_t count) {
    return text.substr(from, count).find_first_not_of('0') != text.npos;
  };
  return has_nonzero(3, 32) && has_nonzero(36, 16);
}

absl::Status CheckTraceparent(const CallOptions& options) {
  if (options.traceparent.empty() || IsTraceparent(options.traceparent)) return absl::OkStatus();
  return codec::InvalidField("traceparent", options.traceparent,
                             "VERSION-TRACE-PARENT-FLAGS, hexadecimal, as of W3C Trace Context");
}

}  // namespace parity::client
