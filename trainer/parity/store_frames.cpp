#include "trainer/parity/store_frames.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/base/frames_file.h"
#include "trainer/metrics/operating_point.h"

namespace letterpress {
namespace {

std::vector<Detection> detections_of(const FoundPicture& picture) {
  std::vector<Detection> detections;
  for (const FoundPicture::Box& box : picture.boxes)
    detections.push_back({static_cast<float>(box.x1), static_cast<float>(box.y1),
                          static_cast<float>(box.x2), static_cast<float>(box.y2),
                          static_cast<float>(box.score), box.class_id});
  return detections;
}

}  // namespace

StoreFrames write_store_frames(const SnapshotReader& reader, const std::string& split,
                               std::size_t most, const std::filesystem::path& file) {
  const std::vector<PictureRows> pictures = reader.pictures(split);
  const std::size_t n = std::min(most, pictures.size());
  StoreFrames frames{.file = file};
  FramesFile written(file, reader.snapshot().identity.side);
  std::vector<std::uint8_t> frame;
  for (std::size_t i = 0; i < n; ++i) {
    const PictureRows& rows = pictures[i * pictures.size() / n];
    const RowPlace place = rows.clean.shard >= 0 ? rows.clean : rows.augmented.at(0);
    const ShardReader& shard = reader.shard(place.shard);
    frame.resize(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(place.row, 1, frame.data());
    shard.verify_row(place.row, std::span<const std::uint8_t>(frame));
    written.add(frame);
    frames.boxes.push_back(shard.label_boxes(place.row));
  }
  written.finish();
  return frames;
}

FoundObjects found_objects(const StoreFrames& frames, const std::vector<FoundPicture>& found,
                           std::size_t classes) {
  if (found.size() != frames.boxes.size())
    throw Error({.where = frames.file.string(),
                 .what = "holds " + std::to_string(frames.boxes.size()) +
                         " frames, and something was found in " + std::to_string(found.size())});
  std::vector<PictureResult> pictures;
  for (std::size_t i = 0; i < found.size(); ++i)
    pictures.push_back(picture_result(frames.boxes[i], detections_of(found[i])));
  FoundObjects all;
  for (const Tally& of_class :
       at_confidence(judge(pictures, static_cast<int>(classes)), 0).classes) {
    all.objects += of_class.ground_truths;
    all.found += of_class.right;
  }
  return all;
}

}  // namespace letterpress
