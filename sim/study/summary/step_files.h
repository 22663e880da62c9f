#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/study/summary/report.h"
#include "sim/study/summary/step_summary.h"
#include "traces/csv_rows.h"

// What a result directory keeps of a training step beside its tasks: blocks of its pipeline, what each die holds, and where
// each stage's time went.
namespace a3sim {

// What a stage does with one micro-batch in one of its chunks, or at the end of the step.
enum class StepBlockKind : std::uint8_t {
  kForward,
  kBackward,
  kWeights,  // gradients of weights that were left for later
  kUpdate    // the optimizer
};
constexpr auto names_of(StepBlockKind) {
  return std::to_array<std::string_view>({"forward", "backward", "weights", "update"});
}

// A line of blocks.csv: from its first kernel until its last one has ended.
struct StepBlock {
  std::uint32_t stage = 0, chunk = kNone, micro_batch = kNone;
  StepBlockKind work{};
  std::uint32_t paired = 0;  // 1: it runs beside another micro-batch's block
  Duration from{}, to{};
  Duration kernels{};  // while its kernels run

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

// A line of memory.csv: what a stage's die holds from this date on, activations with all that is there all the time.
struct StepMemory {
  std::uint32_t stage = 0;
  Duration date{};
  std::uint64_t bytes = 0;

  static constexpr auto columns() {
    using R = StepMemory;
    return std::tuple{CsvColumn{"stage", &R::stage}, CsvColumn{"date_ps", &R::date},
                      CsvColumn{"bytes", &R::bytes}};
  }
};

inline constexpr std::string_view kStepFile = "step.json", kStepBlocksFile = "blocks.csv",
                                  kStepMemoryFile = "memory.csv";

// By stage and date.
std::vector<StepBlock> blocks_of(const SimulatedStep& step);
std::vector<StepMemory> memory_of(const SimulatedStep& step);

// step.json, blocks.csv, memory.csv.
std::vector<NamedFile> step_files(const SimulatedStep& step);

}  // namespace a3sim
