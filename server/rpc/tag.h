// What travels through a completion queue.
#ifndef PARITY_RPC_TAG_H_
#define PARITY_RPC_TAG_H_

#include <utility>

namespace parity::rpc {

class Tag {
 public:
  virtual ~Tag() = default;
  // Runs on the worker's thread when the operation has ended; `ok` as gRPC defines it.
  virtual void Complete(bool ok) = 0;
};

// A tag that calls a member function of its owner, for owners with several operations under way.
template <class Owner>
class MemberTag final : public Tag {
 public:
  MemberTag(Owner* owner, void (Owner::*complete)(bool)) : owner_(owner), complete_(complete) {}
  void Complete(bool ok) override { (owner_->*complete_)(ok); }

 private:
  Owner* const owner_;
  void (Owner::*const complete_)(bool);
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_TAG_H_
