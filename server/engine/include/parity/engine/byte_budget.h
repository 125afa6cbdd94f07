// How many bytes of requests and answers may be held, and by whom.
//
// Key decision: one holder may have as much as is still free. So a single busy client can use half
// of the budget, two a third each, and one that comes later always finds room, without any setting.
#ifndef PARITY_ENGINE_BYTE_BUDGET_H_
#define PARITY_ENGINE_BYTE_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace parity::engine {

// Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  uint64_t limit_bytes() const { return limit_bytes_; }
  uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }

  class Holder;

  // Bytes that are held; gives them back when it is destroyed, on any thread.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : holder_(std::move(other.holder_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(holder_, other.holder_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Lease() { Reduce(0); }

    uint64_t bytes() const { return bytes_; }
    // Gives back what is beyond `bytes`.
    void Reduce(uint64_t bytes);
    // `bytes` of it, or all if there are not as many, as a lease of its own.
    Lease Split(uint64_t bytes);

   private:
    friend class Holder;
    Lease(std::shared_ptr<Holder> holder, uint64_t bytes)
        : holder_(std::move(holder)), bytes_(bytes) {}

    std::shared_ptr<Holder> holder_;
    uint64_t bytes_ = 0;
  };

  // One that bytes are held for: a connection.
  class Holder : public std::enable_shared_from_this<Holder> {
   public:
    explicit Holder(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // Unset if it would then hold more than is left free.
    std::optional<Lease> Take(uint64_t bytes);

    uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }

   private:
    friend class Lease;
    void GiveBack(uint64_t bytes);

    const std::shared_ptr<ByteBudget> budget_;
    std::atomic<uint64_t> held_bytes_{0};
  };

 private:
  const uint64_t limit_bytes_;
  std::atomic<uint64_t> held_bytes_{0};
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_BYTE_BUDGET_H_
