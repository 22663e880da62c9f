#pragma once

#include <string>
#include <vector>

#include "sim/experiment/compiled.h"
#include "sim/study/sweep/database.h"
#include "sim/study/sweep/point.h"

namespace a3sim {

// Computes points one after the other, and shares schedules between neighbours.
class PointRun {
 public:
  explicit PointRun(const SweepSpec& spec);

  // The configuration and the metrics, as bytes for another process. Throws what the simulation throws, and
  // InputError where the point is no longer `id`, because a file was changed meanwhile.
  std::string compute(const SweepPosition& position, const std::string& id);

 private:
  std::vector<PointMetric> metrics(const Experiment& experiment);

  const SweepSpec& spec_;
  bool record_;
  CompileCache cache_;
};

// What compute() made.
struct PointAnswer {
  PortableConfig config;
  std::vector<PointMetric> metrics;
};
PointAnswer read_answer(const std::string& bytes);

}  // namespace a3sim
