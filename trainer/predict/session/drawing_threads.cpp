#include "trainer/predict/session/drawing_threads.h"

#include <utility>

#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "trainer/predict/earlier_outputs.h"
#include "trainer/predict/session/frame_batches.h"

namespace letterpress {
namespace {

constexpr std::int64_t kMostPixels = 200'000'000;

std::int64_t pixels_of(const Drawing& drawing) {
  return std::int64_t{drawing.picture.width} * drawing.picture.height;
}

void write(Drawing& drawing) {
  Picture& picture = drawing.picture;
  draw_boxes(picture.rgb, picture.width, picture.height, drawing.boxes);
  const std::vector<std::byte> png =
      encode_png(picture.rgb, picture.width, picture.height, PngEffort::fast, kDrawnBy);
  make_folders(drawing.file.parent_path());
  replace_file(drawing.file, {reinterpret_cast<const char*>(png.data()), png.size()});
}

}  // namespace

DrawingThreads::DrawingThreads(int threads, std::function<void(std::exception_ptr)> failed)
    : failed_(std::move(failed)) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // no thread can be started; those that were are waited for
    stop();
    throw;
  }
}

DrawingThreads::~DrawingThreads() { stop(); }

void DrawingThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void DrawingThreads::add(Drawing drawing) {
  const std::int64_t pixels = pixels_of(drawing);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return failure_ || pixels_ == 0 ||
           (waiting_.size() < threads_.size() && pixels_ + pixels <= kMostPixels);
  });
  if (failure_) throw SessionFailed();
  pixels_ += pixels;
  waiting_.push_back(std::move(drawing));
  changed_.notify_all();
}

void DrawingThreads::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || pixels_ == 0; });
  if (failure_) throw SessionFailed();
}

void DrawingThreads::work() {
  try {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return complete_ || failure_ || !waiting_.empty(); });
      if (failure_ || waiting_.empty()) return;
      Drawing drawing = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      write(drawing);
      lock.lock();
      pixels_ -= pixels_of(drawing);
      changed_.notify_all();
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = true;
      changed_.notify_all();
    }
    failed_(std::current_exception());
  }
}

}  // namespace letterpress
