#include "parity/region/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <new>
#include <utility>

// Since Linux 5.14.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace parity::region {
namespace {

using endpoint::Descriptor;
using shm::Mapping;

uint64_t WholePages(uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (bytes > std::numeric_limits<uint64_t>::max() - page) return bytes / page * page;
  return (bytes + page - 1) / page * page;
}

absl::Status Failed(absl::string_view what) { return absl::ErrnoToStatus(errno, what); }

// Memory got between two looks at whether it is still wanted: some 25 ms.
constexpr size_t kPieceBytes = size_t{64} << 20;

// Gets the pages of [data, data + bytes). Where the kernel cannot be asked for all of them at once,
// by touching each.
absl::Status PopulatePiece(uint8_t* data, size_t bytes) {
  if (madvise(data, bytes, MADV_POPULATE_WRITE) == 0) return absl::OkStatus();
  if (errno != EINVAL) return Failed("madvise");
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t at = 0; at < bytes; at += page) {
    const_cast<volatile uint8_t*>(data)[at] = 0;
  }
  return absl::OkStatus();
}

absl::Status Populate(const Mapping& memory, const std::function<bool()>& wanted) {
  for (size_t at = 0; at < memory.bytes(); at += kPieceBytes) {
    if (wanted != nullptr && !wanted()) {
      return absl::CancelledError("the memory is not wanted any more");
    }
    absl::Status status =
        PopulatePiece(memory.data() + at, std::min(kPieceBytes, memory.bytes() - at));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Gets the pages that the client has taken while it could.
absl::Status FillHoles(const Mapping& memory, const Descriptor& descriptor) {
  struct stat found;
  if (fstat(descriptor.get(), &found) != 0) return Failed("fstat");
  constexpr uint64_t kBlockBytes = 512;
  if (static_cast<uint64_t>(found.st_blocks) * kBlockBytes >= memory.bytes()) {
    return absl::OkStatus();
  }
  return Populate(memory, nullptr);
}

// To exceed the limit is not only an error, but a signal that ends the process.
absl::Status CheckFileLimit(uint64_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return Failed("getrlimit");
  if (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return absl::OkStatus();
  return absl::ResourceExhaustedError("longer than RLIMIT_FSIZE lets a file be");
}

// Memory that can neither shrink nor grow.
absl::StatusOr<Mapping> MakeMemory(const char* name, uint64_t bytes, Descriptor& descriptor,
                                   const std::function<bool()>& wanted = nullptr) {
  if (absl::Status status = CheckFileLimit(bytes); !status.ok()) return status;
  descriptor = Descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int fd = descriptor.get();
  if (fd == -1) return Failed("memfd_create");
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) return Failed("ftruncate");
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return Failed("F_ADD_SEALS");
  absl::StatusOr<Mapping> memory = Mapping::Map(fd, bytes, Mapping::Access::kReadWrite);
  if (!memory.ok()) return memory.status();
  // Huge pages where the system gives them (shmem_enabled). To make them of others afterwards takes
  // 3 s for 1 GiB, and gained nothing that could be measured.
  madvise(memory->data(), bytes, MADV_HUGEPAGE);
  if (absl::Status status = Populate(*memory, wanted); !status.ok()) return status;
  return memory;
}

absl::Status SealWritable(const Descriptor& descriptor) {
  if (fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError("the client has sealed the memory");
}

}  // namespace

uint64_t Region::CostOf(uint64_t region_bytes) {
  const uint64_t rings =
      WholePages(sizeof(shm::Submissions)) + WholePages(sizeof(shm::Completions));
  const uint64_t data = WholePages(region_bytes);
  // Nobody has that much: it must not look like little.
  if (data > std::numeric_limits<uint64_t>::max() - rings) {
    return std::numeric_limits<uint64_t>::max();
  }
  return data + rings;
}

absl::StatusOr<std::shared_ptr<Region>> Region::Make(uint64_t id, uint64_t bytes, uint32_t node,
                                                     engine::ByteBudget::Lease lease,
                                                     const std::function<bool()>& wanted) {
  std::shared_ptr<Region> region(new Region);
  region->id_ = id;
  region->node_ = node;
  region->lease_ = std::move(lease);
  absl::StatusOr<Mapping> submissions = MakeMemory(
      "parity-submissions", WholePages(sizeof(shm::Submissions)), region->submissions_descriptor_);
  if (!submissions.ok()) return submissions.status();
  absl::StatusOr<Mapping> completions = MakeMemory(
      "parity-completions", WholePages(sizeof(shm::Completions)), region->completions_descriptor_);
  if (!completions.ok()) return completions.status();
  if (absl::Status status = SealWritable(region->completions_descriptor_); !status.ok()) {
    return status;
  }
  absl::StatusOr<Mapping> data =
      MakeMemory("parity-region", WholePages(bytes), region->data_descriptor_, wanted);
  if (!data.ok()) return data.status();
  region->submissions_memory_ = *std::move(submissions);
  region->completions_memory_ = *std::move(completions);
  region->data_ = *std::move(data);
  region->submissions_ = new (region->submissions_memory_.data()) shm::Submissions;
  region->completions_ = new (region->completions_memory_.data()) shm::Completions;
  return region;
}

std::vector<int> Region::descriptors() const {
  return {submissions_descriptor_.get(), completions_descriptor_.get(), data_descriptor_.get()};
}

absl::Status Region::Seal() {
  absl::Status status = SealWritable(submissions_descriptor_);
  status.Update(SealWritable(data_descriptor_));
  if (status.ok()) status = FillHoles(submissions_memory_, submissions_descriptor_);
  if (status.ok()) status = FillHoles(data_, data_descriptor_);
  submissions_descriptor_ = Descriptor();
  completions_descriptor_ = Descriptor();
  data_descriptor_ = Descriptor();
  return status;
}

}  // namespace parity::region
