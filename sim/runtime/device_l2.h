#pragma once

#include <memory>

#include "models/taskflow/row_layout.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/runtime/l2_options.h"

namespace a3sim {

// Makes the empty L2 of the device that runs `ssc`, sized for the real rows of its tensors. `copies` adds
// sets of tensors for earlier runs on other memory.
std::unique_ptr<L2> make_l2(const Ssc& ssc, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options, std::uint32_t copies);

// Returns the most host memory, in bytes, that the L2s of all ranks can take.
double l2_memory(const Schedule& schedule, const RowLayout& layout, const L2Options& options,
                 std::uint32_t copies);

// Returns how many runs on other memory must come first to fill every rank's L2; 0 unless the options ask for
// it.
std::uint32_t copies_before(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options);

// Returns the hints of each operator's accesses. Throws InputError if the options name an operator that the
// schedule lacks.
struct OpHints {
  L2Hint read = L2Hint::kNormal, write = L2Hint::kNormal;
};
std::vector<OpHints> hints_of(const Ssc& ssc, const L2Options& options);

}  // namespace a3sim
