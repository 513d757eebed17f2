#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "letterpress/base/clock.h"
#include "letterpress/shards/letterbox.h"
#include "trainer/predict/session/open_picture.h"

namespace letterpress {

/// Is thrown to the threads of a session in which another thread has failed.
struct SessionFailed {};

/// A frame of a batch, and whose it is.
struct BatchFrame {
  OpenPicture* picture = nullptr;
  std::size_t number = 0;  ///< of the picture's frames, as OpenPicture counts them
  Affine letterbox{};
};

/// Frames that the model gets together.
struct FrameBatch {
  std::vector<std::uint8_t> frames{};  ///< uint8 [n, side, side, 3]
  std::vector<BatchFrame> of{};        ///< n
  std::vector<Outcome> ended{};  ///< inputs of which nothing is in later batches, in their order

  std::size_t frame_bytes = 0;

  std::span<std::uint8_t> frame(std::size_t place) {
    return std::span(frames).subspan(place * frame_bytes, frame_bytes);
  }
  std::span<const std::uint8_t> frames_of(std::size_t n) const {
    return std::span(frames).first(n * frame_bytes);
  }

 private:
  friend class FrameBatches;
  std::size_t rendered_ = 0;
  std::int64_t pixels_ = 0;  // of pictures in `ended`
  bool closed_ = false, predicted_ = false;
};

/// A frame's place in its batch.
struct FramePlace {
  FrameBatch* batch = nullptr;
  std::size_t place = 0;
};

struct FrameBatchesOptions {
  std::size_t frames = 8;       ///< of a batch
  std::size_t frame_bytes = 0;  ///< of a frame
  std::size_t batches = 4;      ///< in memory: filled, computed and written at once
  int readers = 1;              ///< threads that fill them
  /// A batch with more pixels of whole pictures, which wait to be drawn on, is closed.
  std::int64_t pixels = 32'000'000;
};

/// Batches on their way from readers, which fill them in the pictures' order, over lanes, which
/// predict them in any order, to one writer, which gets them in order. Which frame is in which
/// batch follows from the pictures alone. Memory is bounded: a batch is free for others when the
/// writer is done with it. Thread-safe. Every wait ends with SessionFailed after fail().
class FrameBatches {
 public:
  explicit FrameBatches(const FrameBatchesOptions& options);

  /// Readers. What comes after await_turn(i), until pass_turn(), is done for input i after all
  /// inputs before it.
  void await_turn(std::int64_t input);
  void pass_turn();
  /// A place for the picture's next frame, who has the turn; waits for a batch.
  FramePlace reserve(OpenPicture& picture, std::size_t number);
  /// The same for its last frame.
  FramePlace reserve_last(std::unique_ptr<OpenPicture> picture, std::size_t number);
  /// An input without frames.
  void add_without_frames(Outcome outcome);
  /// The frame was rendered; the turn may have passed on meanwhile.
  void set_rendered(const FramePlace& place, const Affine& letterbox);
  /// A reader has nothing left to do; after the last one there is no further batch.
  void leave_reading();

  /// Lanes. The next full batch; nullptr: there is none any more.
  FrameBatch* await_full();
  void set_predicted(FrameBatch& batch);

  /// The writer. The next batch in order, predicted; nullptr: that was the last one.
  FrameBatch* await_predicted();
  void release(FrameBatch& batch);

  /// Keeps the first failure.
  void fail(std::exception_ptr failure);
  std::exception_ptr failure() const;
  double computing_s() const;  ///< during which lanes had a batch

 private:
  template <class Condition>
  void await(std::unique_lock<std::mutex>& lock, Condition condition);
  FrameBatch& open_batch(std::unique_lock<std::mutex>& lock);
  FramePlace reserve_in(FrameBatch& batch, OpenPicture& picture, std::size_t number);
  void close_if_full();
  void close();
  void hand_over_if_rendered(FrameBatch& batch);

  FrameBatchesOptions options_;
  std::vector<std::unique_ptr<FrameBatch>> memory_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FrameBatch*> free_;
  FrameBatch* filling_ = nullptr;
  std::deque<FrameBatch*> ordered_;  // opened and not yet with the writer
  std::deque<FrameBatch*> full_;
  std::int64_t turn_ = 0;
  int reading_;
  std::exception_ptr failure_;
  int computing_ = 0;
  double computing_s_ = 0;
  Clock::time_point computing_since_;
};

}  // namespace letterpress
