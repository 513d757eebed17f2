#pragma once
#include <string>

#include "letterpress/commandline/flag.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Flags that say how boxes become detections, for the commands that have them. access: the member,
/// as Flag takes it; help: what the command does with it.
template <class Options, class Access>
Flag<Options> confidence_flag(Access access, const std::string& help) {
  return Flag<Options>("conf", access, help).must_be(kConfidenceLimits);
}
template <class Options, class Access>
Flag<Options> iou_flag(Access access, const std::string& help) {
  return Flag<Options>("iou", access, help).must_be(kIouLimits);
}
template <class Options, class Access>
Flag<Options> suppression_flag(Access access, const std::string& help,
                               const std::string& limits = "") {
  return Flag<Options>("nms", access, help).known("suppression", suppression_infos(), limits);
}
template <class Options, class Access>
Flag<Options> max_detections_flag(Access access, const std::string& help) {
  return Flag<Options>("max-detections", access, help).must_be(kOneOrMore);
}

}  // namespace letterpress
