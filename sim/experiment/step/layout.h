#pragma once

#include <string>
#include <vector>

#include "sim/experiment/step/schedule.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

// Assigns the blocks of a model to the stages of a pipeline.
struct StageLayout {
  // A kind of block. Layers that are computed again and those that are not are different kinds.
  struct Kind {
    std::string name;
    bool again = true;  // with step.recompute=[all], computed again
    bool operator==(const Kind&) const = default;
  };
  std::vector<Kind> kinds;  // kinds of blocks that the model has, each once
  // One entry per chunk: its blocks, in order, as indices in `kinds`. Empty slots are left out.
  std::vector<std::vector<std::uint32_t>> chunks;
  std::vector<std::uint32_t> stage_of;  // one entry per chunk
  ScheduleShape shape;

  // Returns the number of the model's blocks, those of each copy by themselves.
  std::size_t blocks() const;
  std::vector<std::uint32_t> chunks_of(std::uint32_t stage) const;
  // Returns the number of the model's blocks before each chunk.
  std::vector<std::uint32_t> blocks_before() const;
  // Returns the blocks of all chunks of a stage.
  std::vector<std::uint32_t> blocks_of(std::uint32_t stage) const;
};

// Deals the blocks (ModelShape::layers) to the chunks. `step.split` is
//   layers   as many layers a chunk, the last ones may have fewer; embedding before, head and MTP behind them
//   slots    the same, with embedding and head among what is dealt
//   a string as Megatron's pipeline layout: E embedding, t layer, m MTP, L head, | between chunks, (tt|)*6 repeats
// Throws InputError for a string that does not have the model's blocks or the layout's chunks, and
// for chunks without any block.
StageLayout stage_layout(const std::vector<std::string>& blocks, const StepOptions& step);

}  // namespace a3sim
