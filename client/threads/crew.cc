#include "crew.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace parity::client {

// Apart, because a forked child must leak all of it: even to destroy a condition variable waits for
// those who wait on it.
struct Crew::State {
  State(const CrewOptions& options, StartThread start_thread)
      : most_threads(std::max<size_t>(options.most_threads, 1)), start(std::move(start_thread)) {
    threads.reserve(most_threads);
  }

  // A thread's life.
  void Run();
  // Tasks that no idle thread will take at once.
  size_t waiting() const { return tasks.size() - std::min(tasks.size(), idle); }

  const size_t most_threads;
  const StartThread start;

  std::mutex mutex;  // of all that follows
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  size_t idle = 0;  // threads that run no task, though they may not have begun to wait yet
  bool ending = false;
  std::vector<std::thread> threads;
};

Crew::Crew(const CrewOptions& options, StartThread start)
    : most_queued_(options.most_queued),
      state_(std::make_unique<State>(
          options, start != nullptr ? std::move(start) : [](std::function<void()> body) {
            return std::thread(std::move(body));
          })) {}

Crew::~Crew() {
  if (guard_.IsInherited()) {
    static_cast<void>(state_.release());
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

absl::Status Crew::Submit(std::function<void()> task) { return Add(std::move(task), most_queued_); }

bool Crew::TrySubmit(std::function<void()> task) { return Add(std::move(task), 0).ok(); }

size_t Crew::threads() const {
  if (guard_.IsInherited()) return 0;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->threads.size();
}

absl::Status Crew::Add(std::function<void()> task, size_t most_queued) {
  if (guard_.IsInherited()) {
    return absl::FailedPreconditionError("the process was forked after the crew was made");
  }
  State& state = *state_;
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.ending) return absl::FailedPreconditionError("the crew is ending");
  if (state.idle <= state.tasks.size() && state.threads.size() < state.most_threads) {
    try {
      state.threads.push_back(state.start([&state] { state.Run(); }));
      ++state.idle;
    } catch (const std::system_error& error) {
      if (state.threads.empty()) {
        return absl::UnavailableError(absl::StrCat("no thread can be started: ", error.what()));
      }
    }
  }
  if (state.idle <= state.tasks.size() && state.waiting() >= most_queued) {
    return absl::ResourceExhaustedError(absl::StrCat(state.waiting(), " tasks are queued for ",
                                                     state.threads.size(),
                                                     " threads, which are all busy"));
  }
  state.tasks.push_back(std::move(task));
  state.changed.notify_one();
  return absl::OkStatus();
}

void Crew::State::Run() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return ending || !tasks.empty(); });
    if (tasks.empty()) return;
    {
      const std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      --idle;
      lock.unlock();
      task();
    }
    lock.lock();
    ++idle;
  }
}

}  // namespace parity::client
