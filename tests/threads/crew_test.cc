#include "crew.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::client {
namespace {

using ::testing::HasSubstr;

class Event {
 public:
  void Set() {
    const std::lock_guard<std::mutex> lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

// Has one more thread of the crew busy until `end`. REQUIRES: one is idle or can be started.
void Occupy(Crew& crew, Event& end) {
  Event begun;
  const absl::Status status = crew.Submit([&begun, &end] {
    begun.Set();
    end.Await();
  });
  ASSERT_TRUE(status.ok()) << status;
  begun.Await();
}

std::thread NoThread(const std::function<void()>&) {
  throw std::system_error(EAGAIN, std::generic_category());
}

TEST(Crew, StartsNoThreadBeforeTheFirstTask) {
  Event done;
  Crew crew({4, 10});
  EXPECT_EQ(crew.threads(), 0u);
  ASSERT_TRUE(crew.Submit([&done] { done.Set(); }).ok());
  done.Await();
  EXPECT_EQ(crew.threads(), 1u);
}

TEST(Crew, StartsNoMoreThreadsThanAllowed) {
  Event end;
  Crew crew({2, 10});
  Occupy(crew, end);
  EXPECT_EQ(crew.threads(), 1u);
  Occupy(crew, end);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(crew.Submit([] {}).ok());
  EXPECT_EQ(crew.threads(), 2u);
  end.Set();
}

TEST(Crew, RefusesWhatFindsTheQueueFull) {
  Event end;
  Crew crew({1, 2});
  Occupy(crew, end);
  EXPECT_TRUE(crew.Submit([] {}).ok());
  EXPECT_TRUE(crew.Submit([] {}).ok());
  const absl::Status full = crew.Submit([] { ADD_FAILURE() << "was refused"; });
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("2 tasks are queued"));
  end.Set();
}

TEST(Crew, UsesIdleThreadsAgain) {
  constexpr size_t kTasks = 50;
  Crew crew({kTasks, 0});
  for (size_t i = 0; i < kTasks; ++i) {
    Event done;
    ASSERT_TRUE(crew.TrySubmit([&done] { done.Set(); }));
    done.Await();
  }
  // The last thread may not be idle yet when the next task comes, but then one before it is.
  EXPECT_LT(crew.threads(), kTasks);
}

TEST(Crew, TriesOnlyWhatCanBeginAtOnce) {
  Event end;
  Event done;
  Crew crew({2, 10});
  Occupy(crew, end);
  EXPECT_TRUE(crew.TrySubmit([&done, &end] {
    done.Set();
    end.Await();
  }));
  done.Await();
  EXPECT_FALSE(crew.TrySubmit([] { ADD_FAILURE() << "was refused"; }));
  EXPECT_TRUE(crew.Submit([] {}).ok());
  end.Set();
}

TEST(Crew, FinishesWhatItAcceptedBeforeItEnds) {
  Event end;
  std::atomic<int> done{0};
  {
    Crew crew({2, 100});
    Occupy(crew, end);
    Occupy(crew, end);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(crew.Submit([&done] { ++done; }).ok());
    end.Set();
  }
  EXPECT_EQ(done, 50);
}

TEST(Crew, TasksMaySubmitTasks) {
  Event done;
  Crew crew({1, 1});
  ASSERT_TRUE(
      crew.Submit([&crew, &done] { EXPECT_TRUE(crew.Submit([&done] { done.Set(); }).ok()); }).ok());
  done.Await();
}

TEST(Crew, RefusesTasksOnceItEnds) {
  absl::Status status;
  {
    Crew crew({1, 1});
    ASSERT_TRUE(crew.Submit([&crew, &status] {
                      do {
                        std::this_thread::yield();
                        status = crew.Submit([] {});
                      } while (status.ok() || absl::IsResourceExhausted(status));
                    })
                    .ok());
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST(Crew, LetsGoOfWhatATaskHeldBeforeTheNext) {
  const auto held = std::make_shared<int>(0);
  std::atomic<int64_t> holders{0};
  {
    Crew crew({1, 2});
    ASSERT_TRUE(crew.Submit([copy = held] {}).ok());
    ASSERT_TRUE(crew.Submit([&] { holders = held.use_count(); }).ok());
  }
  EXPECT_EQ(holders, 1);
}

TEST(Crew, RefusesIfNoThreadCanBeStarted) {
  Crew crew({2, 10}, NoThread);
  EXPECT_EQ(crew.Submit([] { ADD_FAILURE(); }).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(crew.TrySubmit([] { ADD_FAILURE(); }));
  EXPECT_EQ(crew.threads(), 0u);
}

TEST(Crew, MakesDoWithTheThreadsThatCouldBeStarted) {
  Event end;
  std::atomic<int> done{0};
  int started = 0;
  {
    Crew crew({4, 10}, [&started](std::function<void()> body) {
      if (started++ > 0) return NoThread(body);
      return std::thread(std::move(body));
    });
    Occupy(crew, end);
    EXPECT_FALSE(crew.TrySubmit([] { ADD_FAILURE() << "was refused"; }));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(crew.Submit([&done] { ++done; }).ok());
    EXPECT_EQ(crew.Submit([] {}).code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(crew.threads(), 1u);
    end.Set();
  }
  EXPECT_EQ(done, 10);
}

TEST(Crew, RunsEachTaskOfManyThreadsOnce) {
  constexpr int kTasks = 2'000;
  std::vector<std::atomic<int>> runs(4 * kTasks);
  std::vector<char> accepted(runs.size());
  {
    Crew crew({3, 16});
    std::vector<std::thread> threads;
    for (size_t id = 0; id < 4; ++id) {
      threads.emplace_back([&, id] {
        for (size_t i = id * kTasks; i < (id + 1) * kTasks; ++i) {
          const auto task = [&runs, i] { ++runs[i]; };
          accepted[i] = i % 3 == 0 ? crew.TrySubmit(task) : crew.Submit(task).ok();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(crew.threads(), 3u);
  }
  for (size_t i = 0; i < runs.size(); ++i) ASSERT_EQ(runs[i], accepted[i]) << i;
}

// Whether its threads are idle, busy or about to begin when the process is forked.
TEST(Crew, AForkedChildHasNoThreadsAndDoesNotHang) {
  for (const int busy : {0, 1, 2}) {
    Event end;
    auto crew = std::make_unique<Crew>(CrewOptions{2, 10});
    std::atomic<bool> ended{false};
    for (int i = 0; i < busy; ++i) Occupy(*crew, end);
    ASSERT_TRUE(crew->Submit([&ended] { ended = true; }).ok());
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const absl::Status status = crew->Submit([] {});
      const bool refused = absl::IsFailedPrecondition(status) && !crew->TrySubmit([] {}) &&
                           status.message().find("forked") != absl::string_view::npos &&
                           crew->threads() == 0;
      crew.reset();
      _exit(refused ? 0 : 1);
    }
    int exit_status = -1;
    ASSERT_EQ(waitpid(child, &exit_status, 0), child);
    EXPECT_EQ(exit_status, 0);
    // The parent's goes on.
    end.Set();
    EXPECT_TRUE(crew->Submit([] {}).ok());
    crew.reset();
    EXPECT_TRUE(ended);
  }
}

}  // namespace
}  // namespace parity::client
