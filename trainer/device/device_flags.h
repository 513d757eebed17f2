#pragma once
#include <string>

#include "letterpress/commandline/flag.h"
#include "trainer/device/device.h"

namespace letterpress {

/// --device. access: the member, as Flag takes it; rest: what else the command says of it.
template <class Options, class Access>
Flag<Options> device_flag(Access access, const std::string& rest = "") {
  return Flag<Options>("device", access, "auto, cpu, cuda or cuda:N" + rest);
}
/// --precision. before, after: what else the command says of it.
template <class Options, class Access>
Flag<Options> precision_flag(Access access, const std::string& before = "",
                             const std::string& after = "") {
  return Flag<Options>("precision", access, before + "fp32, bf16 or, on CUDA, fp16" + after)
      .choices(precisions());
}

}  // namespace letterpress
