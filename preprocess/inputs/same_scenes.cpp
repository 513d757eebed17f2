#include "preprocess/inputs/same_scenes.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/error.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/options/split_key.h"
#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

constexpr std::int64_t kHuge = 16'000'000;  // decoded pixels: one such picture at a time

bool may_move(const Candidate& candidate) {
  return !candidate.reject && candidate.split == "train";
}

// One candidate for each picture that --val SHARE may take, in the label files' order.
std::vector<const Candidate*> pictures_of(const Inputs& inputs) {
  std::unordered_set<Hash128> seen;
  std::vector<const Candidate*> pictures;
  for (const Candidate& candidate : inputs.candidates) {
    if (may_move(candidate) && seen.insert(candidate.picture_hash).second)
      pictures.push_back(&candidate);
  }
  return pictures;
}

struct Workspace {
  const PictureFiles& files;
  std::vector<std::byte> bytes{};
  Picture picture{};
};

// A large picture whose look is taken of averages of `factor` x `factor` pixels, in bands.
std::optional<Look> look_from_bands(BandedPicture& picture, int factor) {
  const Picture& band = picture.picture();
  factor = std::min({factor, band.width, band.height});
  const int width = band.width / factor, height = band.height / factor;
  std::vector<std::uint8_t> small(3 * static_cast<std::size_t>(width) *
                                  static_cast<std::size_t>(height));
  std::uint8_t* out = small.data();
  for (int y = 0; y < height; ++y) {
    if (picture.keep(y * factor, (y + 1) * factor)) return std::nullopt;
    for (int x = 0; x < 3 * width; ++x, ++out) {
      const int first = x / 3 * 3 * factor + x % 3;
      int sum = 0;
      for (int line = 0; line < factor; ++line) {
        const std::uint8_t* const from = band.rgb.data() + 3 * line * std::ptrdiff_t{band.width};
        for (int i = 0; i < factor; ++i) sum += from[first + 3 * i];
      }
      *out = static_cast<std::uint8_t>(sum / (factor * factor));
    }
  }
  return look_at({small, width, 0, 0, width, height});
}

Look decoded_look(const Candidate& candidate, const BuildOptions& options, Workspace& workspace,
                  std::mutex& huge) {
  const Item& item = candidate.item;
  const PictureFiles& files = workspace.files;
  std::optional<PictureFile> large = open_large(files, item.path, item.offset, item.length);
  if (!large) files.read(item.path, item.offset, item.length, workspace.bytes);
  const PictureBytes stored = large ? PictureBytes(*large) : PictureBytes(workspace.bytes);
  const std::string where = picture_path(item);
  const Expected<PictureInfo> info = probe(stored, where, limits_of(options));
  if (!info) return {};
  const int longer = std::max(info->width, info->height);
  const double scale = std::min(1.0, static_cast<double>(kThumbnail) / longer);
  const int eighths = decoded_eighths(*info, scale);
  const std::int64_t pixels = std::int64_t{info->width} * info->height * eighths * eighths / 64;
  const auto lock = pixels > kHuge ? std::unique_lock(huge) : std::unique_lock<std::mutex>();
  if (pixels > kPixelsDecodedWhole || stored.size() > kFileReadWhole) {
    const OpenedBands bands = open_bands(stored, *info, scale, where);
    const int factor = std::max(1, longer * eighths / 8 / (8 * kThumbnail));
    if (bands.picture) return look_from_bands(*bands.picture, factor).value_or(Look());
  }
  if (large) large->read(workspace.bytes);
  Picture& picture = workspace.picture;
  if (decode(workspace.bytes, *info, scale, where, picture)) return {};
  Look look = look_at({picture.rgb, picture.width, 0, 0, picture.width, picture.height});
  if (pixels > kHuge) picture = {};
  return look;
}

// A file that cannot be read any more is found by who makes its rows.
Look look_of(const Candidate& candidate, const BuildOptions& options, Workspace& workspace,
             std::mutex& huge) {
  try {
    return decoded_look(candidate, options, workspace, huge);
  } catch (const Error& error) {
    return {};
  }
}

std::vector<Look> looks_of(const std::vector<const Candidate*>& pictures,
                           const BuildOptions& options, const LookCache& known,
                           BuildListener& listener, const StopRequest& stop) {
  std::vector<Look> looks(pictures.size());
  listener.stage("looking at", static_cast<std::int64_t>(pictures.size()), "pictures");
  const PictureFiles files(unpacked_folder(options));
  tbb::enumerable_thread_specific<Workspace> workspaces([&] { return Workspace{files}; });
  std::mutex huge;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pictures.size(), 4), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end() && !stop; ++i) {
      const Look* const before = known.find(pictures[i]->picture_hash);
      looks[i] = before ? *before : look_of(*pictures[i], options, workspaces.local(), huge);
      listener.advance(1);
    }
  });
  return looks;
}

}  // namespace

bool needs_scenes(const Inputs& inputs, const BuildOptions& options, const EarlierSplits& earlier) {
  const std::optional<double> share = parse_share(options.val);
  if (options.group != "auto" || !share || *share == 0) return false;
  return !earlier.same_share ||
         std::ranges::any_of(inputs.candidates, [&](const Candidate& candidate) {
           return may_move(candidate) && !earlier.in_val(candidate);
         });
}

SeenScenes find_scenes(const Inputs& inputs, const BuildOptions& options, const LookCache& known,
                       BuildListener& listener, const StopRequest& stop) {
  const std::vector<const Candidate*> pictures = pictures_of(inputs);
  std::vector<Look> looks = looks_of(pictures, options, known, listener, stop);
  SeenScenes result;
  if (stop) return result;
  result.counts = scenes_of(looks.size(), alike_pairs(looks, stop));
  const std::vector<std::int32_t> first = std::move(result.counts.first);
  result.counts.first.clear();
  result.counts.group.clear();
  std::vector<bool> shared(pictures.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto scene = static_cast<std::size_t>(first[i]);
    if (scene != i) shared[i] = shared[scene] = true;
  }
  // A scene's key is its least picture's, whatever the label files' order is.
  std::unordered_map<std::int32_t, Hash128> keys;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Hash128& picture = pictures[i]->picture_hash;
    const auto [key, is_new] = keys.emplace(first[i], picture);
    if (!is_new) key->second = std::min(key->second, picture);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (shared[i]) result.key_of.emplace(pictures[i]->picture_hash, keys.at(first[i]));
    result.looks.remember(pictures[i]->picture_hash, std::move(looks[i]));
  }
  return result;
}

void note_scenes(const Scenes& counts, std::int64_t pictures, BuildListener& listener) {
  if (counts.scenes > 0) {
    listener.note(fmt::format(
        "{} of {} pictures show a scene that others show too: {} scenes of up to {} pictures, each "
        "kept in one split; those that do not look alike are not found, --group with a regular "
        "expression on the name is surer; --group none turns this off",
        counts.pictures, pictures, counts.scenes, counts.largest));
  }
  if (counts.apart > 0) {
    listener.note(fmt::format(
        "{} of {} pictures look like one scene, as those of a standing camera do, and are not kept "
        "together; --group folder, or --group with a regular expression on the name, tells which "
        "belong together",
        counts.apart, pictures));
  }
}

}  // namespace letterpress
