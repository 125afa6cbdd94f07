// Whose turn it is.
//
// Key decision: clients take turns by bytes, and a client's small requests go before its large
// ones. So neither a client that sends a lot nor a large request makes others wait for long.
#ifndef PARITY_ENGINE_FAIR_QUEUE_H_
#define PARITY_ENGINE_FAIR_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace parity::engine {

// Not thread-safe. T is a pointer-like type.
template <class T>
class FairQueue {
 public:
  // What a client may take before it is another one's turn, in bytes; one request may exceed it.
  static constexpr uint64_t kTurnBytes = 256 << 10;
  // The largest request that goes before large ones.
  static constexpr uint64_t kSmallBytes = 64 << 10;

  // What one client has in the queue. Belongs to the client, and outlives what it has there.
  class Line {
   public:
    Line() = default;
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

   private:
    friend class FairQueue;
    struct Entry {
      T item;
      uint64_t bytes;
    };
    std::deque<Entry> small_;
    std::deque<Entry> large_;
    uint64_t taken_bytes_ = 0;  // in this turn
    bool large_next_ = false;
    bool queued_ = false;
  };

  bool empty() const { return lines_.empty(); }

  // Appends an item to its client's line. `bytes` is what it takes to serve it once.
  void Push(Line& line, T item, uint64_t bytes) {
    (bytes <= kSmallBytes ? line.small_ : line.large_).push_back({item, bytes});
    Enter(line);
  }

  // The same of an item that has been popped and is not done: it is the next large one of its line.
  void PushBack(Line& line, T item, uint64_t bytes) {
    line.large_.push_front({item, bytes});
    Enter(line);
  }

  // REQUIRES: !empty().
  T Pop() {
    Line& line = *lines_.front();
    const bool large = line.small_.empty() || (line.large_next_ && !line.large_.empty());
    auto& entries = large ? line.large_ : line.small_;
    const typename Line::Entry entry = entries.front();
    entries.pop_front();
    line.taken_bytes_ += entry.bytes;
    if (line.taken_bytes_ >= kTurnBytes || (line.small_.empty() && line.large_.empty())) {
      line.large_next_ = !large;
      EndTurn(line);
    }
    return entry.item;
  }

 private:
  void Enter(Line& line) {
    if (line.queued_) return;
    line.queued_ = true;
    lines_.push_back(&line);
  }

  void EndTurn(Line& line) {
    line.taken_bytes_ = 0;
    lines_.pop_front();
    line.queued_ = false;
    if (!line.small_.empty() || !line.large_.empty()) Enter(line);
  }

  std::deque<Line*> lines_;  // those with entries; the first one's turn it is
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_FAIR_QUEUE_H_
