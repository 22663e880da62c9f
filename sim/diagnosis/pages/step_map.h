#pragma once

#include <span>
#include <vector>

#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/rules/advice.h"
#include "traces/report/page/page.h"

namespace a3sim {

// How long each step took and what each rank did in it, as a section of a page: steps along its axis, ranks below each
// other. Steps stand together where there are more than a page can hold.
class StepMap {
 public:
  // Reads all light records of the job.
  StepMap(const Observation& job, const Advice& advice);

  // The sum over slow steps of what they took above the usual step, in ms.
  double lost_ms() const { return lost_ms_; }
  double took_ms() const { return took_ms_; }  // of all steps
  double slow_ms() const;                      // of a slow step, the mean; 0 where none is slow

  void add_to(Page& page) const;

 private:
  struct Column {
    std::uint32_t first = 0, last = 0;  // as the source numbers steps
    double took = 0;                    // ps: the longest of its steps
    bool slow = false, full = false;    // one of them
  };
  void add_step(std::uint32_t step, std::span<const LightRecord> records, RankSteps& ranks);
  void add_cells(std::span<const LightRecord> records, const std::vector<RankStep>& ranks);

  const Observation& job_;
  const Advice& advice_;
  std::vector<std::uint32_t> full_;  // ascending
  std::uint32_t together_ = 1;       // steps of a column
  std::vector<Column> columns_;
  std::vector<std::vector<double>> cells_;  // by measure; those of a column are neighbours
  double lost_ms_ = 0, took_ms_ = 0, slow_sum_ms_ = 0;
};

}  // namespace a3sim
