#include "trainer/predict/session/frame_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "trainer/predict/session/picture_admission.h"

using namespace letterpress;

namespace {

// Frames of 4 bytes that say whose they are.
void render(FrameBatches& batches, const FramePlace& place, int picture, std::size_t tile) {
  const std::span<std::uint8_t> frame = place.batch->frame(place.place);
  frame[0] = static_cast<std::uint8_t>(picture);
  frame[3] = static_cast<std::uint8_t>(tile);
  batches.set_rendered(place, {});
}

std::unique_ptr<OpenPicture> picture_of(int number, std::size_t tiles) {
  auto one = std::make_unique<OpenPicture>();
  one->input.name = std::to_string(number);
  one->tiles.resize(tiles);
  return one;
}

// Puts every `readers`-th input from `first` on into batches: input i has i mod 4 frames; one
// without frames is a reject.
void read(FrameBatches& batches, int first, int readers, int inputs) {
  std::vector<std::unique_ptr<OpenPicture>> open;
  for (int i = first; i < inputs; i += readers) {
    const auto tiles = static_cast<std::size_t>(i % 4);
    batches.await_turn(i);
    if (tiles == 0) {
      batches.add_without_frames({.reject = Reject{std::to_string(i), "", ""}});
      batches.pass_turn();
      continue;
    }
    auto one = picture_of(i, tiles);
    OpenPicture& picture = *one;
    for (std::size_t tile = 0; tile + 1 < tiles; ++tile)
      render(batches, batches.reserve(picture, tile), i, tile);
    const FramePlace last = batches.reserve_last(std::move(one), tiles - 1);
    batches.pass_turn();
    render(batches, last, i, tiles - 1);
  }
  batches.leave_reading();
}

void predict(FrameBatches& batches) {
  while (FrameBatch* const batch = batches.await_full()) batches.set_predicted(*batch);
}

// "1.0 2.0|2.1 3.0|": pictures and tiles of each batch; ended: inputs in the order of their ends.
struct Seen {
  std::string frames{}, ended{};
};
Seen write(FrameBatches& batches) {
  Seen seen;
  while (FrameBatch* const batch = batches.await_predicted()) {
    for (std::size_t i = 0; i < batch->of.size(); ++i)
      seen.frames += (i ? " " : "") + std::to_string(batch->frame(i)[0]) + "." +
                     std::to_string(batch->frame(i)[3]);
    seen.frames += "|";
    for (const Outcome& outcome : batch->ended)
      seen.ended +=
          (outcome.picture ? outcome.picture->input.name.string() : "-" + outcome.reject->where) +
          " ";
    batches.release(*batch);
  }
  return seen;
}

Seen passed_through(int readers, int lanes, std::size_t memory, int inputs) {
  FrameBatches batches({.frames = 2, .frame_bytes = 4, .batches = memory, .readers = readers});
  std::vector<std::jthread> threads;
  for (int i = 0; i < readers; ++i)
    threads.emplace_back([&batches, i, readers, inputs] { read(batches, i, readers, inputs); });
  for (int i = 0; i < lanes; ++i) threads.emplace_back([&batches] { predict(batches); });
  return write(batches);
}

}  // namespace

TEST_CASE("frames are batched in the pictures' order, by hand, whoever reads and predicts them") {
  for (const auto& [readers, lanes, memory] :
       {std::tuple{1, 1, std::size_t{2}}, {3, 2, std::size_t{3}}, {7, 3, std::size_t{8}}}) {
    CAPTURE(readers);
    const Seen seen = passed_through(readers, lanes, memory, 9);
    CHECK(seen.frames == "1.0 2.0|2.1 3.0|3.1 3.2|5.0 6.0|6.1 7.0|7.1 7.2||");
    CHECK(seen.ended == "-0 1 2 3 -4 5 6 7 -8 ");
  }
  CHECK(passed_through(2, 2, 2, 0).frames.empty());
}

TEST_CASE("many inputs pass few batches, each once") {
  const Seen one = passed_through(1, 1, 1, 400), many = passed_through(8, 4, 5, 400);
  CHECK(one.frames == many.frames);
  CHECK(one.ended == many.ended);
  CHECK(std::ranges::count(one.ended, ' ') == 400);
}

TEST_CASE("pictures that keep more pixels than a batch may hold close it") {
  FrameBatches batches({.frames = 4, .frame_bytes = 4, .batches = 3, .readers = 1, .pixels = 100});
  std::vector<FrameBatch*> of;
  for (int i = 0; i < 3; ++i) {
    auto one = picture_of(i, 1);
    one->kept_pixels = 60;
    of.push_back(batches.reserve_last(std::move(one), 0).batch);
  }
  CHECK(of[0] == of[1]);  // 120 pixels
  CHECK(of[1] != of[2]);
}

TEST_CASE("a failure ends every wait, and the first one is kept") {
  FrameBatches batches({.frames = 1, .frame_bytes = 4, .batches = 1, .readers = 2});
  PictureAdmission admission(10);
  std::atomic<int> ended{0};
  const auto waits = [&](auto wait) {
    return std::jthread([&ended, wait] {
      try {
        wait();
      } catch (const SessionFailed&) {
        ++ended;
      }
    });
  };
  auto one = picture_of(0, 1);
  batches.reserve_last(std::move(one), 0);  // the only batch is never rendered
  auto other = picture_of(1, 1);
  {
    std::vector<std::jthread> threads;
    threads.push_back(waits([&] { batches.await_turn(1); }));
    threads.push_back(waits([&] { batches.reserve(*other, 0); }));
    threads.push_back(waits([&] { batches.await_full(); }));
    threads.push_back(waits([&] { batches.await_predicted(); }));
    threads.push_back(waits([&] { PictureAdmission::Hold(admission, 1, 5); }));
    batches.fail(std::make_exception_ptr(std::runtime_error("first")));
    batches.fail(std::make_exception_ptr(std::runtime_error("second")));
    admission.fail();
  }
  CHECK(ended == 5);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(batches.failure()), "first", std::runtime_error);
}

TEST_CASE("pictures are let in in their order, a large one alone") {
  PictureAdmission admission(100);
  std::vector<int> order;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (const int input : {3, 1, 2, 0}) {
    threads.emplace_back([&, input] {
      const PictureAdmission::Hold hold(admission, input, input == 2 ? 5000 : 60);
      const std::lock_guard lock(mutex);
      order.push_back(input);
    });
  }
  threads.clear();
  CHECK(order == std::vector<int>{0, 1, 2, 3});
}
