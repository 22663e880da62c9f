#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/experiment/inference/inference_memory.h"
#include "sim/experiment/inference/inference_program.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// A step of inference, ready to be run.
struct PreparedInference {
  InferencePlan plan;
  double over_mean = 1;  // rows of the busiest rank of experts, over the mean
  InferenceLayers layers;
  InferenceProgram written;
  InferenceMemory memory;
};
PreparedInference prepare_inference(const Experiment& experiment);

// Runs it. Its hooks may be null.
StreamPass run_inference(const Experiment& experiment, const PreparedInference& prepared,
                         TaskHooks* hooks = nullptr);

// All runs of a kernel in a step, by its name.
struct KernelAccount {
  std::string name;
  TimeClass time_class{};
  double runs = 0;
  Duration time{};                          // of all runs, from start to end
  double weights = 0, cache = 0, sent = 0;  // bytes of all runs
  std::string bound;                        // what most of its time alone is spent on
};

// The measures of a step of inference.
struct InferenceFigures {
  Duration time{};
  Duration token{};         // of a request: a step over what it leaves it; prefill: the step
  double tokens_a_die = 0;  // a second: those that a step leaves, or in prefill takes; over all dies
  ClassTimes classes{};     // of a die of attention; they sum to the time
  std::vector<KernelAccount> kernels;  // the longest first
  double launches = 0;                 // kernels of a die
  std::uint64_t largest_batch = 0;     // of a rank, that fits
};
InferenceFigures figures_of(const Experiment& experiment, const PreparedInference& prepared,
                            const StreamPass& pass);

// Returns what a reader would compute by hand: each kernel the longer of its arithmetic at a part of the peak and its bytes at
// the HBM's rate, one after the other; the bytes of exchanges at the port's rate, one latency and one launch. Of a kernel by its
// name: one run of it, with a launch; zero for an exchange.
Duration inference_by_hand(const Experiment& experiment, const PreparedInference& prepared,
                           double part_of_peak, std::string_view op = {});

}  // namespace a3sim
