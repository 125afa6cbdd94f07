#include "local_load.h"

#include "absl/time/clock.h"
#include "ring_load.h"
#include "stripe_encoder.h"

namespace parity::bench {
namespace {

class LocalLoad final : public Load {
 public:
  LocalLoad(const ShmRow& row, const kernels::KernelTable& table, Slots& slots)
      : pauses_(row.access == Access::kPaused), encoder_(row.job(), table), slots_(slots) {}

  absl::Status Run(const LoadControl& control, Meter& meter) override {
    size_t slot = 0;
    for (uint64_t answers = 1; !control.stopping.load(std::memory_order_relaxed); ++answers) {
      if (pauses_) absl::SleepFor(kPause);
      slots_.Prepare(slot);
      encoder_.EncodePacked(slots_.sources(slot), slots_.parity(slot));
      if (absl::Status status = slots_.Finish(slot); !status.ok()) return status;
      meter.answers.store(answers, std::memory_order_relaxed);
      if (++slot == slots_.count()) slot = 0;
    }
    return absl::OkStatus();
  }

 private:
  const bool pauses_;
  StripeEncoder encoder_;
  Slots& slots_;
};

}  // namespace

std::unique_ptr<Load> MakeLocalLoad(const ShmRow& row, const kernels::KernelTable& table,
                                    Slots& slots) {
  return std::make_unique<LocalLoad>(row, table, slots);
}

}  // namespace parity::bench
