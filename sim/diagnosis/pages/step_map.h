#pragma once

#include <span>
#include <vector>

#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/rules/advice.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Draws how long each step took and what each rank did in it, as a section of a page: one column per step,
// one row per rank. If there are more steps than a page can hold, several share a column.
class StepMap {
 public:
  // Reads all light records of the job.
  StepMap(const Observation& job, const Advice& advice);

  // Returns the sum over slow steps of their time above the usual step, in ms.
  double lost_ms() const { return lost_ms_; }
  double took_ms() const { return took_ms_; }  // sum over all steps
  // Returns the mean time of a slow step; 0 if there is none.
  double slow_ms() const;

  void add_to(Page& page) const;

 private:
  struct Column {
    std::uint32_t first = 0, last = 0;  // as the source numbers steps
    double took = 0;                    // ps: time of its longest step
    bool slow = false, full = false;    // true if one of its steps is slow, or recorded in full
  };
  void add_step(std::uint32_t step, std::span<const LightRecord> records, RankSteps& ranks);
  void add_cells(std::span<const LightRecord> records, const std::vector<RankStep>& ranks);

  const Observation& job_;
  const Advice& advice_;
  std::vector<std::uint32_t> full_;  // ascending
  std::uint32_t together_ = 1;       // number of steps per column
  std::vector<Column> columns_;
  std::vector<std::vector<double>> cells_;  // one entry per measure; those of a column are neighbours
  double lost_ms_ = 0, took_ms_ = 0, slow_sum_ms_ = 0;
};

}  // namespace a3sim
