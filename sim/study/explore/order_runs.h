#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/experiment/compiled.h"
#include "sim/study/explore/noise.h"

namespace a3sim {

// An experiment under one of several orders.
struct UnderOrder {
  Experiment experiment;
  Compiled compiled;  // without passes where it does not fit
};

// Which passes have the same schedules under several orders. They run alike under the same draws, so that one run
// stands for all: orders often differ in one pass, or in one queue of it.
class EqualSchedules {
 public:
  explicit EqualSchedules(std::span<const UnderOrder> orders);

  struct Pass {
    std::size_t order, pass;
  };
  // Those to run: of equal ones the first order's. Later passes come first, for backward takes longer.
  const std::vector<Pass>& to_run() const { return to_run_; }
  // The order whose run stands for this one's; itself, if that is to run.
  std::size_t first(std::size_t order, std::size_t pass) const { return first_[order][pass]; }
  // The first order before this one with the same schedules of all passes.
  std::optional<std::size_t> same_as(std::size_t order) const;

 private:
  std::vector<std::vector<std::size_t>> first_;  // by order, then pass; empty where it does not fit
  std::vector<Pass> to_run_;
};

// All passes of an experiment in one of the runs.
struct OrderRun {
  Duration makespan{};
  Duration ends_apart{};  // from the first rank's end to the last one's
};

// Runs of each order, by order and run: all under the same jitter.
std::vector<std::vector<OrderRun>> run_orders(std::span<const UnderOrder> orders, const JitterOptions& jitter,
                                              unsigned threads);
Latencies latencies_of(std::span<const OrderRun> runs);

}  // namespace a3sim
