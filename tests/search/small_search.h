#pragma once

#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/search/search.h"

namespace a3sim {

// Returns SwiGLU, then Add, on eight workers and an L2 that holds a few tiles: their order decides what is
// read twice.
inline Experiment small_swiglu_add(std::vector<std::string> more = {}) {
  std::vector<std::string> set{"graph.sizes.rows=4096", "graph.sizes.cols=512",
                               "graph.sizes.tiles=128", "workers.aiv=8",
                               "l2.mode=pieces",        "hardware.memory.l2_size=3 MiB"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "swiglu_add.yaml", set);
}

// Returns an MoE-FFN that runs in milliseconds.
inline Experiment small_moe(std::vector<std::string> more = {}) {
  std::vector<std::string> set{"model.tokens=96",  "model.hidden=256",         "model.intermediate=128",
                               "model.top_k=2",    "model.experts_per_rank=3", "cut.chunk=16",
                               "cut.task_rows=16", "experiment.pass=forward"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "ep4.yaml", set);
}

inline SearchSpace space_of(const std::string& text) {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, "test.yaml", {}, diagnostics);
  SearchSpace space = read_space(root, "test.yaml");
  diagnostics.throw_if_any();
  return space;
}

inline SearchOptions one_run(std::uint32_t budget, std::uint64_t seed, const std::string& method = "evolve") {
  SearchOptions options;
  options.budget = budget;
  options.seed = seed;
  options.method = method;
  options.objective = SearchObjective::kOne;
  return options;
}

inline double least_score(const SearchProblem& problem, const SearchOptions& options) {
  CandidateRuns runs(problem, options.threads, nullptr);
  return *search(problem, options, runs).winner().scores.back();
}

// A space of serial tiles: 4 x 2 x 3 keys (slices, orders of the two operators, directions) in 3!
// sequences. The optimum is one of them.
inline const char* const kSlices = R"(
space:
  workloads: []
  queues:
    vtq:
      slice: ["", floor(index / 4), floor(index / 8), floor(index / 32)]
      op: [op, -op]
      index: ["", index, -index]
  decisions:
    assignment: {key: order.assignment, values: [shared]}
)";

}  // namespace a3sim
