// The servers of a client: which there are, which are worth calling, and which is called next.
//
// Key decision: one thread of the pool's own looks up names and answers pings; no call waits for a
// lookup, but for the first one.
#ifndef PARITY_CLIENT_POOL_H_
#define PARITY_CLIENT_POOL_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "counters.h"
#include "parity/client/client.h"
#include "resolver.h"
#include "server.h"
#include "server_health.h"

namespace parity::client {

// Thread-safe.
class Pool {
 private:
  struct Member;

 public:
  // A server to be called once; how that ended is to be told to Report.
  class Choice {
   public:
    Choice() = default;
    explicit operator bool() const { return member_ != nullptr; }
    Server& server() const;

   private:
    friend class Pool;
    std::shared_ptr<Member> member_;
    bool is_trial_ = false;
  };

  // Those that a call has tried.
  class Tried {
   public:
    void Add(const Choice& choice, bool may_be_tried_again);
    void Clear() { tried_.clear(); }

   private:
    friend class Pool;
    // How often; kMostTries: not again.
    int TriesOf(const Member& member) const;

    absl::InlinedVector<std::pair<std::shared_ptr<Member>, int>, 4> tried_;
  };

  // INVALID_ARGUMENT naming the option; RESOURCE_EXHAUSTED if there is no thread to be had. Without
  // `lookup` names are those of the system.
  static absl::StatusOr<std::unique_ptr<Pool>> Make(const ClientOptions& options,
                                                    Lookup lookup = nullptr);
  ~Pool();

  // The least loaded of the usable servers that were tried least often, and less than twice. None
  // if there is no such server. Waits for the first lookup of names, until `deadline`.
  Choice Choose(const Tried& tried, absl::Time deadline);
  // One that was given up but not asked to be left alone, and that the call has not tried. It may
  // be back, so to call it is better than to fail.
  Choice ChooseGivenUp(const Tried& tried);
  // `allowed`: how long the attempt might have taken.
  void Report(const Choice& choice, const absl::Status& status, absl::Duration allowed);

  // When the first server will be usable: InfinitePast if one is, InfiniteFuture if there is none.
  struct Usable {
    absl::Time from;
    bool is_asked_for;  // it is a server that works but has asked to be left alone until then
  };
  Usable NextUsable();
  // Why there is no usable server, for an error.
  std::string WhyNone();

  size_t size();
  // Of the server with the smallest limit.
  uint64_t MaxRequestBytes();
  // The only server, if there is one only and always will be; null.
  Server* OnlyServer();
  std::vector<ClientStats::Server> Stats();

 private:
  using Members = std::vector<std::shared_ptr<Member>>;

  Pool(const ClientOptions& options, Lookup lookup);
  absl::Status AddTargets();
  void KeepHouse();
  // Looks up the names; with no lock held.
  void ResolveAll();
  absl::StatusOr<std::shared_ptr<Member>> MakeMember(const std::string& address,
                                                     const std::string& name);

  const ClientOptions options_;
  const Lookup lookup_;
  std::vector<Target> names_;                    // dns targets
  std::vector<std::vector<std::string>> found_;  // of each name, when it was last found
  Members fixed_;                                // of other targets

  std::mutex mutex_;  // of all below, and the health of members
  std::condition_variable changed_;
  Members members_;
  size_t turn_ = 0;
  bool resolved_ = false;  // once
  bool resolve_soon_ = false;
  absl::Status lookup_failure_;

  std::atomic<bool> ending_{false};
  std::thread keeper_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_H_
