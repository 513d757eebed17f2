#include "trainer/loader/rows/direct_source.h"

#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "trainer/loader/rows/sources.h"

namespace letterpress {
namespace {

// Offset, length and memory of a direct read are multiples of the disk's block, which is at most
// this.
constexpr std::int64_t kBlock = 4096;
// Reads ahead per thread: with the usual four threads enough for a disk that serves 32 requests at
// once.
constexpr std::size_t kDepth = 8;

bool is_passing(int error_number) {
  return error_number == EINTR || error_number == EAGAIN || error_number == EBUSY;
}

struct Freed {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};

class DirectSource final : public RowSource {
 public:
  explicit DirectSource(const RowFiles& files) : files_(files) {
    const auto bytes = static_cast<std::size_t>((files.image_bytes() / kBlock + 2) * kBlock);
    for (Read& read : reads_) {
      read.memory.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kBlock, bytes)));
      if (!read.memory)
        throw Error(
            {.what = "no memory to read ahead, " + std::to_string(kDepth * bytes) + " bytes",
             .fix = "use --read pread"},
            Exit::io);
    }
    const int result = io_uring_queue_init(kDepth, &ring_, 0);
    if (result < 0)
      throw system_error("io_uring", "cannot be set up (--read pread needs none)", -result);
  }
  ~DirectSource() override {
    // The disk writes to our memory until it is done.
    const auto pending = [](const Read& read) { return read.pending; };
    while (std::any_of(reads_.begin(), reads_.end(), pending) && harvest()) continue;
    io_uring_queue_exit(&ring_);
  }
  DirectSource(const DirectSource&) = delete;
  DirectSource& operator=(const DirectSource&) = delete;

  std::size_t depth() const noexcept override { return kDepth; }

  void begin(const RowPlace& place) override {
    const RowFiles::Location location = files_.find(place);
    Read& read = reads_[(first_ + begun_++) % kDepth];
    read.descriptor = location.descriptor;
    read.skip = location.offset % kBlock;
    read.offset = location.offset - read.skip;
    read.done = 0;
    read.error_number = broken_;
    if (broken_ == 0) submit(read);
  }

  std::optional<RowFailure> finish(RowSink& sink) override {
    Read& read = reads_[first_];
    while (read.pending && harvest()) continue;
    first_ = (first_ + 1) % kDepth;
    --begun_;
    if (read.pending) return RowFailure{broken_};
    if (read.error_number != 0 || read.done < wanted(read)) return RowFailure{read.error_number};
    sink.add({read.memory.get() + read.skip, static_cast<std::size_t>(files_.image_bytes())});
    return std::nullopt;
  }

 private:
  struct Read {
    std::unique_ptr<std::uint8_t, Freed> memory;
    int descriptor = -1, error_number = 0;
    std::int64_t offset = 0;  // of its first block
    std::int64_t skip = 0;    // where the row begins in that block
    std::int64_t done = 0;    // bytes read so far
    bool pending = false;
  };

  std::int64_t wanted(const Read& read) const { return read.skip + files_.image_bytes(); }

  void submit(Read& read) {
    const std::int64_t length = (wanted(read) + kBlock - 1) / kBlock * kBlock;
    io_uring_sqe* const request = io_uring_get_sqe(&ring_);
    io_uring_prep_read(request, read.descriptor, read.memory.get() + read.done,
                       static_cast<unsigned>(length - read.done),
                       static_cast<std::uint64_t>(read.offset + read.done));
    io_uring_sqe_set_data(request, &read);
    int result;
    do result = io_uring_submit(&ring_);
    while (is_passing(-result));
    read.pending = result >= 0;
    if (result < 0) read.error_number = broken_ = -result;
  }

  // Waits for one read of the ring. False: the ring itself failed.
  bool harvest() {
    io_uring_cqe* completion = nullptr;
    int waited;
    do waited = io_uring_wait_cqe(&ring_, &completion);
    while (is_passing(-waited));
    if (waited < 0) return broken_ = -waited, false;
    Read& read = *static_cast<Read*>(io_uring_cqe_get_data(completion));
    const int result = completion->res;
    io_uring_cqe_seen(&ring_, completion);
    read.pending = false;
    if (result < 0 && !is_passing(-result)) read.error_number = -result;
    if (result > 0) read.done += result;
    // A read that does not end on a block ended with the file.
    const bool goes_on = result != 0 && read.done < wanted(read) && read.done % kBlock == 0;
    if (read.error_number == 0 && goes_on) submit(read);
    return true;
  }

  const RowFiles& files_;
  io_uring ring_{};
  std::array<Read, kDepth> reads_;
  std::size_t first_ = 0, begun_ = 0;
  int broken_ = 0;  // errno of a ring that failed
};

}  // namespace

std::string why_no_direct_reads(const std::filesystem::path& path) {
  (void)File::open_to_read(path);  // one that is gone is read in no way
  io_uring ring{};
  const int result = io_uring_queue_init(1, &ring, 0);
  if (result < 0) return std::string("io_uring: ") + std::strerror(-result);
  io_uring_queue_exit(&ring);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor < 0) return std::string("O_DIRECT: ") + std::strerror(errno);
  // Some file systems take the flag and refuse the read.
  const std::unique_ptr<std::uint8_t, Freed> block(
      static_cast<std::uint8_t*>(std::aligned_alloc(kBlock, kBlock)));
  ssize_t got;
  do got = ::pread(descriptor, block.get(), kBlock, 0);
  while (got < 0 && errno == EINTR);
  const int error_number = errno;
  ::close(descriptor);
  if (got < 0 && error_number != EINVAL && error_number != EOPNOTSUPP)
    throw reading_error(path.string(), "cannot be read", error_number);
  return got == kBlock ? ""
                       : std::string("O_DIRECT: ") +
                             (got < 0 ? std::strerror(error_number) : "the file ends at once");
}

std::unique_ptr<RowSource> make_direct_source(const RowFiles& files) {
  return std::make_unique<DirectSource>(files);
}

}  // namespace letterpress
