#pragma once

#include <memory>

#include "models/taskflow/row_layout.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/runtime/l2_options.h"

namespace a3sim {

// The empty L2 of the device that runs `ssc`, over the rows that its tensors really have; they lie in it
// `copies` times more, for runs before on other memory.
std::unique_ptr<L2> make_l2(const Ssc& ssc, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options, std::uint32_t copies);

// Bytes of this machine's memory that the L2s of all ranks take at most.
double l2_memory(const Schedule& schedule, const RowLayout& layout, const L2Options& options,
                 std::uint32_t copies);

// How many runs on other memory fill the L2 of every rank before the one that counts: none unless the options
// say so.
std::uint32_t copies_before(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options);

// The hints of each operator's accesses. Throws InputError for an operator that the schedule does not have.
struct OpHints {
  L2Hint read = L2Hint::kNormal, write = L2Hint::kNormal;
};
std::vector<OpHints> hints_of(const Ssc& ssc, const L2Options& options);

}  // namespace a3sim
