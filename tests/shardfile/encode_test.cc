#include "parity/shardfile/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr uint64_t kStripeBytes = 4 * kTestCellBytes;

class EncodeTest : public testing::Test {
 protected:
  absl::StatusOr<EncodedObject> Encode(client::Coder& coder, const EncodeOptions& options) {
    return EncodeObject(coder, geometry_, scratch_ / "object", options);
  }

  const Scratch scratch_;
  const codec::Geometry geometry_ = MakeGeometry(codec::Code::kReedSolomon, 4, 2);
};

TEST_F(EncodeTest, NamesShardsAfterTheObject) {
  const Scratch out;
  WriteFile(scratch_ / "object", Noise(100, 1));
  EncodeOptions options = TestOptions();
  options.directory = out.path();
  const absl::StatusOr<EncodedObject> object = Encode(LocalCoder(), options);
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_THAT(out.Contents(), ElementsAre(Key("object.000.shard"), Key("object.001.shard"),
                                          Key("object.002.shard"), Key("object.003.shard"),
                                          Key("object.004.shard"), Key("object.005.shard")));
  EXPECT_EQ(object->paths[5], out / "object.005.shard");
  EXPECT_THAT(scratch_.Contents(), ElementsAre(Key("object")));
}

TEST_F(EncodeTest, ShardsAreNoMoreReadableThanTheObject) {
  WriteFile(scratch_ / "object", Noise(100, 1));
  ASSERT_EQ(chmod((scratch_ / "object").c_str(), 0600), 0);
  const absl::StatusOr<EncodedObject> object = Encode(LocalCoder(), TestOptions());
  ASSERT_TRUE(object.ok()) << object.status();
  struct stat status;
  ASSERT_EQ(stat(object->paths[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(EncodeTest, FillsTheLastCellsUpWithZeros) {
  WriteFile(scratch_ / "object", {1, 2, 3, 4, 5});
  const absl::StatusOr<EncodedObject> object = Encode(LocalCoder(), TestOptions());
  ASSERT_TRUE(object.ok()) << object.status();
  const auto cell = [&](uint32_t shard) {
    const Bytes file = ReadFile(object->paths[shard]);
    return Bytes(file.begin() + kHeaderBytes, file.begin() + kHeaderBytes + 2);
  };
  EXPECT_EQ(cell(0), (Bytes{1, 2}));
  EXPECT_EQ(cell(1), (Bytes{3, 4}));
  EXPECT_EQ(cell(2), (Bytes{5, 0}));
  EXPECT_EQ(cell(3), (Bytes{0, 0}));
}

TEST_F(EncodeTest, RefusesToOverwriteUnlessTold) {
  WriteFile(scratch_ / "object", Noise(100, 1));
  WriteFile(scratch_ / "object.004.shard", {7});
  const auto before = scratch_.Contents();
  const absl::Status status = Encode(LocalCoder(), TestOptions()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(status.message(), HasSubstr(scratch_ / "object.004.shard"));
  EXPECT_EQ(scratch_.Contents(), before);

  EncodeOptions options = TestOptions();
  options.existing = Existing::kReplace;
  EXPECT_TRUE(Encode(LocalCoder(), options).ok());
  EXPECT_EQ(FindSet(scratch_).members.size(), 6u);
}

TEST_F(EncodeTest, TakesRegularFilesOnly) {
  fs::create_directory(scratch_ / "object");
  const absl::Status status = Encode(LocalCoder(), TestOptions()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("object: not a regular file"));
}

TEST_F(EncodeTest, RefusesBadSizes) {
  WriteFile(scratch_ / "object", Noise(100, 1));
  EncodeOptions options = TestOptions();
  options.cell_bytes = 1000;
  const absl::Status status = Encode(LocalCoder(), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("cell_bytes: got 1000"));
}

TEST_F(EncodeTest, NoticesAnObjectThatChanges) {
  for (const int64_t change : {-1, +1}) {
    WriteFile(scratch_ / "object", Noise(3 * kStripeBytes, 1));
    StubCoder coder;
    coder.on_encode = [&] {
      fs::resize_file(scratch_ / "object",
                      static_cast<uint64_t>(static_cast<int64_t>(3 * kStripeBytes) + change));
      return absl::OkStatus();
    };
    const absl::Status status = Encode(coder, TestOptions()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
    EXPECT_THAT(status.message(), HasSubstr(scratch_ / "object: has changed"));
    EXPECT_THAT(scratch_.Contents(), ElementsAre(Key("object")));
  }
}

TEST_F(EncodeTest, LeavesNothingWhenTheCoderFails) {
  WriteFile(scratch_ / "object", Noise(100 * kStripeBytes, 1));
  StubCoder coder;
  std::atomic<int> calls{0};
  coder.on_encode = [&] {
    return ++calls == 7 ? absl::UnavailableError("gone") : absl::OkStatus();
  };
  EXPECT_EQ(Encode(coder, TestOptions()).status(), absl::UnavailableError("gone"));
  EXPECT_LT(calls, 100) << "went on after an error";
  EXPECT_THAT(scratch_.Contents(), ElementsAre(Key("object")));
}

TEST_F(EncodeTest, LeavesNothingWhenItIsCancelled) {
  WriteFile(scratch_ / "object", Noise(100 * kStripeBytes, 1));
  StubCoder coder;
  client::Cancellation cancellation;
  std::atomic<int> calls{0};
  coder.on_encode = [&] {
    if (++calls == 5) cancellation.Cancel();
    return absl::OkStatus();
  };
  EncodeOptions options = TestOptions();
  options.run.cancellation = &cancellation;
  EXPECT_EQ(Encode(coder, options).status().code(), absl::StatusCode::kCancelled);
  EXPECT_LT(calls, 100) << "went on after it was cancelled";
  EXPECT_THAT(scratch_.Contents(), ElementsAre(Key("object")));
}

TEST_F(EncodeTest, KeepsAsManyStripesInFlightAsToldAndNoMore) {
  WriteFile(scratch_ / "object", Noise(100 * kStripeBytes, 1));
  StubCoder coder;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  coder.on_encode = [&] {
    std::unique_lock<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    changed.notify_all();
    // The first ones wait for each other.
    const bool met =
        changed.wait_for(lock, std::chrono::seconds(60), [&] { return threads.size() >= 3; });
    return met ? absl::OkStatus() : absl::DeadlineExceededError("alone");
  };
  EncodeOptions options = TestOptions();
  options.run.stripes_in_flight = 3;
  const absl::StatusOr<EncodedObject> object = Encode(coder, options);
  EXPECT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(threads.size(), 3u);
}

}  // namespace
}  // namespace parity::shardfile
