#include "trainer/device/device_graph.h"

namespace letterpress {

bool CapturedWork::run(const DeviceGraph::Work& work, bool may_capture) {
  if (!captured_ && (warm_ups_ < kWarmUps || !may_capture)) {
    graph_->warm_up(work);
    ++warm_ups_;
    return false;
  }
  if (!captured_) {
    graph_->capture(work);
    captured_ = true;
  }
  graph_->replay();
  return true;
}

}  // namespace letterpress
