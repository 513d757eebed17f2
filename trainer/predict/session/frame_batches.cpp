#include "trainer/predict/session/frame_batches.h"

#include <utility>

namespace letterpress {
namespace {

constexpr std::size_t kInputsPerFrame = 8;  // rejects are told before their batch has frames

}  // namespace

FrameBatches::FrameBatches(const FrameBatchesOptions& options)
    : options_(options), reading_(options.readers) {
  for (std::size_t i = 0; i < options.batches; ++i) {
    memory_.push_back(std::make_unique<FrameBatch>());
    memory_.back()->frames.resize(options.frames * options.frame_bytes);
    memory_.back()->frame_bytes = options.frame_bytes;
    free_.push_back(memory_.back().get());
  }
}

template <class Condition>
void FrameBatches::await(std::unique_lock<std::mutex>& lock, Condition condition) {
  changed_.wait(lock, [&] { return failure_ || condition(); });
  if (failure_) throw SessionFailed();
}

void FrameBatches::await_turn(std::int64_t input) {
  std::unique_lock lock(mutex_);
  await(lock, [&] { return turn_ == input; });
}

void FrameBatches::pass_turn() {
  const std::lock_guard lock(mutex_);
  ++turn_;
  changed_.notify_all();
}

FrameBatch& FrameBatches::open_batch(std::unique_lock<std::mutex>& lock) {
  if (!filling_) {
    await(lock, [&] { return !free_.empty(); });
    filling_ = free_.back();
    free_.pop_back();
    ordered_.push_back(filling_);
  }
  return *filling_;
}

FramePlace FrameBatches::reserve_in(FrameBatch& batch, OpenPicture& picture, std::size_t number) {
  batch.of.push_back({&picture, number, {}});
  return {&batch, batch.of.size() - 1};
}

FramePlace FrameBatches::reserve(OpenPicture& picture, std::size_t number) {
  std::unique_lock lock(mutex_);
  const FramePlace place = reserve_in(open_batch(lock), picture, number);
  close_if_full();
  return place;
}

FramePlace FrameBatches::reserve_last(std::unique_ptr<OpenPicture> picture, std::size_t number) {
  std::unique_lock lock(mutex_);
  FrameBatch& batch = open_batch(lock);
  const FramePlace place = reserve_in(batch, *picture, number);
  batch.pixels_ += picture->kept_pixels;
  batch.ended.push_back({.picture = std::move(picture)});
  close_if_full();
  return place;
}

void FrameBatches::add_without_frames(Outcome outcome) {
  std::unique_lock lock(mutex_);
  open_batch(lock).ended.push_back(std::move(outcome));
  close_if_full();
}

void FrameBatches::set_rendered(const FramePlace& place, const Affine& letterbox) {
  const std::lock_guard lock(mutex_);
  FrameBatch& batch = *place.batch;
  batch.of[place.place].letterbox = letterbox;
  ++batch.rendered_;
  hand_over_if_rendered(batch);
}

void FrameBatches::close_if_full() {
  const FrameBatch& batch = *filling_;
  if (batch.of.size() == options_.frames || batch.pixels_ > options_.pixels ||
      batch.ended.size() >= kInputsPerFrame * options_.frames)
    close();
}

void FrameBatches::close() {
  FrameBatch& batch = *std::exchange(filling_, nullptr);
  batch.closed_ = true;
  hand_over_if_rendered(batch);
}

// To the lanes; without a frame at once to the writer.
void FrameBatches::hand_over_if_rendered(FrameBatch& batch) {
  if (!batch.closed_ || batch.rendered_ < batch.of.size()) return;
  if (batch.of.empty()) {
    batch.predicted_ = true;
  } else {
    full_.push_back(&batch);
  }
  changed_.notify_all();
}

void FrameBatches::leave_reading() {
  const std::lock_guard lock(mutex_);
  if (--reading_ > 0) return;
  if (filling_) close();
  changed_.notify_all();
}

FrameBatch* FrameBatches::await_full() {
  std::unique_lock lock(mutex_);
  // Without readers every batch is closed and rendered.
  await(lock, [&] { return !full_.empty() || reading_ == 0; });
  if (full_.empty()) return nullptr;
  FrameBatch* const batch = full_.front();
  full_.pop_front();
  if (computing_++ == 0) computing_since_ = Clock::now();
  return batch;
}

void FrameBatches::set_predicted(FrameBatch& batch) {
  const std::lock_guard lock(mutex_);
  if (--computing_ == 0) computing_s_ += seconds_since(computing_since_);
  batch.predicted_ = true;
  changed_.notify_all();
}

FrameBatch* FrameBatches::await_predicted() {
  std::unique_lock lock(mutex_);
  await(lock, [&] { return ordered_.empty() ? reading_ == 0 : ordered_.front()->predicted_; });
  if (ordered_.empty()) return nullptr;
  FrameBatch* const batch = ordered_.front();
  ordered_.pop_front();
  return batch;
}

void FrameBatches::release(FrameBatch& batch) {
  const std::lock_guard lock(mutex_);
  batch.of.clear();
  batch.ended.clear();
  batch.rendered_ = 0;
  batch.pixels_ = 0;
  batch.closed_ = batch.predicted_ = false;
  free_.push_back(&batch);
  changed_.notify_all();
}

void FrameBatches::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_all();
}

std::exception_ptr FrameBatches::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

double FrameBatches::computing_s() const {
  const std::lock_guard lock(mutex_);
  return computing_s_;
}

}  // namespace letterpress
