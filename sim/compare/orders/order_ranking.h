#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/evaluate.h"
#include "traces/report/report.h"

namespace a3sim {

// A ranking of orders before all of their runs have ended.
struct OrderRanking {
  struct Row {
    std::string name;
    Latencies totals;  // by run
  };
  std::vector<Row> rows;  // the tried order, then the shipped ones that fit
  std::string extent;     // "2 of 6 runs"

  // The fastest first, each with how much longer than the first one it takes.
  Report report() const;
};

// Of variants in the same order as names; those that do not fit are left out.
OrderRanking ranking_of(std::span<const std::string> names, std::span<const Evaluated> evaluated,
                        std::string extent);

}  // namespace a3sim
