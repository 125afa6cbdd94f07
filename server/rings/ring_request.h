// A record that waits for its turn.
#ifndef PARITY_RINGS_RING_REQUEST_H_
#define PARITY_RINGS_RING_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "parity/engine/stripe_job.h"
#include "parity/engine/stripe_processor.h"
#include "parity/region/region_shards.h"
#include "parity/shm/record.h"
#include "ring.h"

namespace parity::rings {

// Used again and again by its ring.
class RingRequest final : public engine::StripeRequest {
 public:
  explicit RingRequest(Ring& ring) : ring_(ring) {}

  // Makes the job that a record asks for, `words` being what follows its header. A fault is what is
  // wrong with it.
  region::Fault Prepare(const region::Region& region,
                        const std::shared_ptr<const DefinedPlan>& plan,
                        const shm::RecordHeader& header, absl::Span<const uint64_t> words);

  engine::StripeJob& job() override { return job_; }
  absl::Status Wanted() const override;
  void Done(const absl::Status& status) override;

  uint64_t id() const { return id_; }
  size_t words() const { return words_; }  // of its record

 private:
  // What verifying found, to where the client wants it.
  void WriteReport();

  Ring& ring_;
  uint64_t id_ = 0;
  size_t words_ = 0;
  std::shared_ptr<const DefinedPlan> plan_;
  region::RegionShards shards_;
  uint8_t* report_ = nullptr;
  engine::StripeJob job_;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_RING_REQUEST_H_
