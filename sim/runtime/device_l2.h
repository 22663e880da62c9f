#pragma once

#include <memory>

#include "models/taskflow/row_layout.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/runtime/l2_options.h"

namespace a3sim {

// Makes the empty L2 of the device that runs `ssc`, for the real rows of its tensors, with `copies` more sets
// of tensors for earlier runs on other memory.
std::unique_ptr<L2> make_l2(const Ssc& ssc, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options, std::uint32_t copies);

// Returns the most host memory, in bytes, that the L2s of all ranks can take.
double l2_memory(const Schedule& schedule, const RowLayout& layout, const L2Options& options,
                 std::uint32_t copies);

// Returns the number of runs on other memory that fill every rank's L2 before the measured one; 0 unless the
// options ask for them.
std::uint32_t copies_before(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options);

// Returns the hints of each operator's accesses. Throws InputError for an operator that the schedule does not
// have.
struct OpHints {
  L2Hint read = L2Hint::kNormal, write = L2Hint::kNormal;
};
std::vector<OpHints> hints_of(const Ssc& ssc, const L2Options& options);

}  // namespace a3sim
