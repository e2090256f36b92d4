// What an HLO module does: floating-point operations, transcendental functions, bytes read and written. The
// counts are those of XLA's own cost analysis (HloCostAnalysis; HloEnv, appendix D.3, uses it as an
// evaluation without running): an instruction reads its operands and writes its result once, what is computed
// within a fusion is neither read nor written, a loop's body counts once. tests/cost/test_hlo_analysis.py
// compares with XLA, which counts otherwise in two places: a tuple as eight bytes a part (here: nothing), the
// bytes of a call at its boundary (here: of what it calls).
//
// As time: the roofline (Williams, Waterman and Patterson, 2009) of each kernel, an instruction that is not
// within a fusion: the longer of computing and moving, and what a launch costs.
#pragma once

#include <vector>

#include "hlo/module.h"
#include "machine/device.h"

namespace isomer::cost {

struct HloCounts {
  double flops = 0;
  double transcendentals = 0;
  double bytes = 0;

  HloCounts& operator+=(const HloCounts& other) {
    flops += other.flops;
    transcendentals += other.transcendentals;
    bytes += other.bytes;
    return *this;
  }
};

/// Of the module as a whole.
HloCounts hlo_counts(const hlo::Module& module);
/// Of each instruction with what it calls, those that stand in no computation too.
std::vector<HloCounts> hlo_counts_of_each(const hlo::Module& module);

/// Seconds by the roofline of a device.
double hlo_roofline_seconds(const hlo::Module& module, const machine::DeviceProfile& device);
/// Of each instruction as a kernel of its own, those that stand in no computation too; of calls, loops and
/// conditionals nothing: what they call has kernels.
std::vector<double> hlo_roofline_seconds_of_each(const hlo::Module& module,
                                                 const machine::DeviceProfile& device);

}  // namespace isomer::cost
