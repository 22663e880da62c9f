#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/analysis/stretches.h"
#include "traces/observation.h"

namespace a3sim {

// What the tasks of one pass did on all ranks, whatever ran them. Full records follow from it. Times count from the
// start of the pass.
struct PassWork {
  struct Operator {
    std::string name;  // empty: its tasks count, but it has no record of its own
    Lane lane = Lane::kCompute;
    CoreKind core = CoreKind::kNoCore;
  };
  struct Task {
    std::uint32_t op = 0;   // its place in `operators`
    bool computes = false;  // false: it moves bytes to other ranks, or holds no worker
    Duration asked{}, start{}, end{};
    Duration run{}, arithmetic{};  // summed over the workers that it holds
    double operations = 0, hbm_bytes = 0, l2_bytes = 0, sent_bytes = 0;
  };
  // The axes of an operator's result on a rank.
  struct Axes {
    std::uint32_t rows = 0, inner = 0;  // inner: length of the contiguous axis
    // Columns of a product's left operand, if its operations tell the rows that it computed; else 0.
    std::uint32_t reduced = 0;
  };

  std::vector<Operator> operators;
  std::vector<std::vector<Task>> ranks;   // by rank
  std::vector<std::vector<Axes>> axes;    // by rank and operator; empty: unknown
  std::vector<float> clocks;              // by rank, as a part of the nominal one; empty: unknown
  std::vector<TransferRecord> transfers;  // to other ranks; `op` is a place in `operators`
  std::vector<Stretches> hosts;           // by rank, in order: its host worked for the pass; may be empty
};

// Where a pass is in a job.
struct PassPlace {
  std::uint32_t step = 0;
  std::uint16_t pass = 0;
  Duration since{};  // from the start of the job
};

// Adds the operators and host events of some ranks, and the transfers that leave or reach them. Operators are named by their
// places in `names`.
void add_full_records(const PassWork& work, const PassPlace& place, std::span<const std::uint32_t> ranks,
                      const std::vector<std::string>& names, FullStep& full);

}  // namespace a3sim
