#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace letterpress {

/// What was found in one picture, as `letterpress-predict --format json` writes it.
struct FoundPicture {
  struct Box {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;  ///< pixels of the picture
    double score = 0;
    int class_id = 0;
  };
  std::string picture{};
  int width = 0, height = 0;
  std::vector<Box> boxes{};
};

/// Throws Error (data) naming the file when it is something else.
std::vector<FoundPicture> read_found_pictures(const std::filesystem::path& file);

/// What two programs found in the same pictures.
struct ParityDifferences {
  std::int64_t detections = 0;    ///< of the first program
  std::int64_t counterparts = 0;  ///< of these that the second program found too
  double score = 0;               ///< the largest difference of counterparts
  double alone = 0;               ///< the largest of detections of one program alone
  double corner = 0;              ///< the largest, of a corner along an axis, pixels of the picture
  double corner_share = 0;        ///< the same as a share of its picture's longer side
  std::vector<std::string> unmatched{};  ///< "a.jpg: RBC 0.812 of predict alone", 20 at most
  std::int64_t unmatched_n = 0;
};

/// How two programs are compared.
struct ParityRule {
  double confidence = 0;  ///< lower scores are not told by either
  double tolerance = 0;   ///< of scores: a lone detection nearer to confidence is not a miss
  std::size_t most = 0;   ///< detections of a picture that count, best first
  std::size_t most_of_class = std::numeric_limits<std::size_t>::max();  ///< the same of each class
  std::vector<std::string> classes{};                                   ///< names by id, for texts
};

/// Each detection of `ours`, best first, has as its counterpart the one of `theirs` with its class
/// and the largest overlap, over one half. One without a counterpart counts with what its score is
/// over the floor, under which the other program does not tell what it found: `confidence` or,
/// where its list is as long as one may be, the lowest score in that list. It is unmatched where
/// that is over `tolerance`. Pictures are in the same order. Throws Error (data) naming the picture
/// where the two do not have the same pictures.
ParityDifferences compare_found(const std::vector<FoundPicture>& ours,
                                const std::vector<FoundPicture>& theirs, const ParityRule& rule);

}  // namespace letterpress
