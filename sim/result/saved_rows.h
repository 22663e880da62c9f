#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/memory/l2/l2.h"
#include "sim/runtime/cable_use.h"
#include "traces/analysis/pass_sums.h"
#include "traces/trace.h"

// Rows of result.json. A description names the key of each value that is saved and read back. Text has its
// own columns of the same rows (operator_report.h). `Values` is a class of saved_values.h; writers take a
// const row.
namespace a3sim {

// An operator of a pass, over all ranks.
struct SavedOperator {
  std::string name;
  TaskUnit unit = TaskUnit::kVector;
  std::uint32_t stage = 0;
  OperatorStats stats{};  // without times
  L2Traffic traffic{};
};

template <class Traffic, class Values>
void describe_traffic(Traffic&& traffic, Values values) {
  const auto requests = [&](const std::string& key, auto& asked) {
    values.count(key + "hit", asked.hit);
    values.count(key + "miss", asked.miss);
    values.count(key + "bypass", asked.bypass);
  };
  requests("l2.read.", traffic.read);
  requests("l2.write.", traffic.write);
  values.count("l2.hbm_read_bytes", traffic.hbm_read);
  values.count("l2.hbm_write_bytes", traffic.hbm_write);
}

template <class Row, class Values>
void describe_operator(Row&& row, Values values) {
  values.text("operator", row.name);
  values.choice("unit", row.unit);
  values.count("stage", row.stage);
  values.count("tasks", row.stats.tasks);
  values.time("ran_ps", row.stats.ran);
  values.time("ideal_ps", row.stats.ideal);
  values.time("waited_ps", row.stats.waited);
  for (std::uint32_t l = 0; l < kLimits; ++l)
    values.time("lost_ps." + std::string(name_of(static_cast<Limit>(l))), row.stats.lost[l]);
  describe_traffic(row.traffic, values);
}

// Describes the time of a rank's workers, by kind.
template <class Row, class Values>
void describe_workers(const WorkerKinds& kinds, Row&& workers, Values values) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::string key = kinds[k].key();
    values.time(key + "_busy_ps", workers[k].busy);
    values.time(key + "_waited_ps", workers[k].waited);
    values.time(key + "_idle_ps", workers[k].idle);
  }
}

// Describes the machine, apart from its workers, so that the analysis of a result needs no configuration.
template <class Machine, class Values>
void describe_machine(Machine& machine, Values values) {
  values.time("kernel_launch_ps", machine.launch);
  values.amount("hbm_read_bytes_per_s", machine.hbm_read, 1);
  values.amount("hbm_write_bytes_per_s", machine.hbm_write, 1);
  values.amount("l2_read_bytes_per_s", machine.l2_read, 1);
  values.amount("port_bytes_per_s", machine.port);
}

// One of the most used cables.
struct SavedCable {
  CableUse use{};
  double rate = 0;  // bytes per second
};

template <class Row, class Values>
void describe_cable(Row&& row, Values values) {
  constexpr double kMostCarried = 0x1p61;
  // `used` is above 1 if a cable that comes and goes is slow outside its periods.
  constexpr double kMostUsed = 1e6;
  values.text("name", row.use.name);
  values.text("level", row.use.level);
  values.amount("rate_bytes_per_s", row.rate, 1);
  values.number("bytes", row.use.bytes, kMostCarried);
  values.number("used", row.use.used, kMostUsed);
  values.number("peak", row.use.peak, kMostUsed);
  values.time("full_ps", row.use.full);
}

}  // namespace a3sim
