#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/experiment/step/step_sections.h"
#include "traces/csv_rows.h"

// The files that a result directory keeps of a training step, besides its tasks: blocks of the pipeline,
// memory of each die, and the time of each stage.
namespace a3sim {

// The work of a stage on one micro-batch in one of its chunks, or at the end of the step.
enum class StepBlockKind : std::uint8_t {
  kForward,
  kBackward,
  kWeights,  // weight gradients that were left for later
  kUpdate    // the optimizer
};
constexpr auto names_of(StepBlockKind) {
  return std::to_array<std::string_view>({"forward", "backward", "weights", "update"});
}

// A line of blocks.csv: one block, from the start of its first kernel to the end of its last one.
struct StepBlock {
  std::uint32_t stage = 0, chunk = kNone, micro_batch = kNone;
  StepBlockKind work{};
  std::uint32_t paired = 0;  // 1: runs beside another micro-batch's block
  Duration from{}, to{};
  Duration kernels{};  // time in which its kernels run

  static constexpr auto columns() {
    using R = StepBlock;
    return std::tuple{CsvColumn{"stage", &R::stage},
                      CsvColumn{"chunk", &R::chunk, true},
                      CsvColumn{"micro_batch", &R::micro_batch, true},
                      CsvColumn{"work", &R::work},
                      CsvColumn{"paired", &R::paired},
                      CsvColumn{"from_ps", &R::from},
                      CsvColumn{"to_ps", &R::to},
                      CsvColumn{"kernels_ps", &R::kernels}};
  }
};

// A line of memory.csv: what the die of a stage holds from this time on, activations and permanent data.
struct StepMemory {
  std::uint32_t stage = 0;
  Duration time{};
  std::uint64_t bytes = 0;

  static constexpr auto columns() {
    using R = StepMemory;
    return std::tuple{CsvColumn{"stage", &R::stage}, CsvColumn{"time_ps", &R::time},
                      CsvColumn{"bytes", &R::bytes}};
  }
};

inline constexpr std::string_view kStepFile = "step.json", kStepBlocksFile = "blocks.csv",
                                  kStepMemoryFile = "memory.csv";

// Return the blocks and the memory of a step, sorted by stage and time.
std::vector<StepBlock> blocks_of(const SimulatedStep& step);
std::vector<StepMemory> memory_of(const SimulatedStep& step);

// Returns step.json, blocks.csv and memory.csv.
std::vector<NamedFile> step_files(const SimulatedStep& step);

}  // namespace a3sim
