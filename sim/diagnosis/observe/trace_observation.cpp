#include "sim/diagnosis/observe/trace_observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/core/error.h"
#include "traces/analysis/critical_path.h"

namespace a3sim {
namespace {

// Derives the machine's limits from traces: the highest rate of arithmetic that any operator reaches.
ObservedMachine machine_of(std::span<const TracedPass> passes) {
  const TraceMachine& traced = passes.front().trace.machine;
  ObservedMachine machine;
  machine.aic = traced.workers.count(CoreUnit::kMatrix);
  machine.aiv = traced.workers.count(CoreUnit::kVector);
  machine.hbm_read = traced.hbm_read;
  machine.l2_read = traced.l2_read;
  for (const TracedPass& pass : passes) {
    struct Sum {
      double operations = 0;
      Duration arithmetic{};
    };
    std::vector<Sum> sums(pass.trace.operators.size());
    for (const auto& rank : pass.trace.ranks) {
      for (const TraceTask& task : rank) {
        sums[task.op].operations += static_cast<double>(task.operations);
        sums[task.op].arithmetic += task.arithmetic;
      }
    }
    for (std::size_t op = 0; op < sums.size(); ++op) {
      const bool cube = pass.trace.operators[op].unit == TaskUnit::kCube;
      if (sums[op].arithmetic <= Duration::zero()) continue;
      double& rate = cube ? machine.cube_rate : machine.vector_rate;
      rate = std::max(rate, traced.workers.count(cube ? CoreUnit::kMatrix : CoreUnit::kVector) *
                                sums[op].operations / seconds(sums[op].arithmetic));
    }
  }
  machine.planes.push_back({"ports", traced.port, traced.port, Duration::zero(), 1});
  return machine;
}

}  // namespace

TraceObservation::TraceObservation(std::span<const TracedPass> passes,
                                   const std::optional<TracedMachine>& machine)
    : traced_(passes) {
  if (passes.empty() || passes.front().trace.ranks.empty()) throw InputError("a run without passes or ranks");
  const std::size_t ranks = passes.front().trace.ranks.size();
  job_.ranks = static_cast<std::uint32_t>(ranks);
  job_.machine = machine ? machine->machine : machine_of(passes);
  job_.nodes.resize(ranks);
  std::iota(job_.nodes.begin(), job_.nodes.end(), 0U);
  for (const TracedPass& pass : passes) {
    job_.passes.push_back(pass.name);
    if (pass.trace.ranks.size() != ranks)
      throw InputError(
          fmt::format("pass {}: {} ranks, expected {} as before", pass.name, pass.trace.ranks.size(), ranks));
    for (const TraceOperator& op : pass.trace.operators)
      if (std::ranges::find(job_.names, op.name) == job_.names.end()) job_.names.push_back(op.name);
  }
  Duration since{};
  light_.resize(ranks * passes.size());
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const auto number = static_cast<std::uint16_t>(p);
    const std::vector<LightRecord> records = light_records(passes[p].trace, number, since);
    for (std::size_t rank = 0; rank < ranks; ++rank) light_[rank * passes.size() + p] = records[rank];
    add_full_records(passes[p].trace, number, since, job_.names, machine ? machine->planes : PlaneOfHop(),
                     full_);
    since_.push_back(since);
    since = records.front().release;
  }
  full_.ranks = job_.nodes;  // every rank has a host of its own
  job_.missing = {{"other steps", "which steps are slow, and since when"},
                  {"what hosts do", "host.*, io.*"},
                  {"clocks", "compute.clock, but for what arithmetic takes"},
                  {"rows", "load.imbalance, but for operations"}};
}

std::vector<PathPart> TraceObservation::critical_path(std::uint32_t) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Duration> sums;  // by operator and rank
  for (const TracedPass& pass : traced_) {
    const Causes causes(pass.trace);
    for (const PathSegment& segment : a3sim::critical_path(causes).segments) {
      const std::string& name = pass.trace.operators[segment.op].name;
      const auto op = static_cast<std::uint32_t>(std::ranges::find(job_.names, name) - job_.names.begin());
      sums[{op, segment.task.rank == kNone ? 0 : segment.task.rank}] += segment.to - segment.from;
    }
  }
  std::vector<PathPart> parts;
  for (const auto& [key, time] : sums) parts.push_back({key.first, key.second, time});
  return parts;
}

template <class Same>
RecordPlace TraceObservation::place_of_task(std::uint16_t pass, std::uint32_t rank, const Same& same) const {
  const auto& ranks = traced_[pass].trace.ranks;
  const auto found = std::ranges::find_if(ranks[rank], same);
  RecordPlace place(tasks_csv_name(job_.passes[pass]));
  if (found == ranks[rank].end()) return place;
  std::ptrdiff_t line = 2 + (found - ranks[rank].begin());  // the columns' names are in line 1
  for (std::uint32_t before = 0; before < rank; ++before) line += std::ssize(ranks[before]);
  place.text += fmt::format(":{}", line);
  place.pass = job_.passes[pass];
  place.rank = rank;
  place.task = static_cast<std::uint32_t>(found - ranks[rank].begin());
  return place;
}

RecordPlace TraceObservation::place_of(const LightRecord& record) const {
  return fmt::format("result.json, pass {}: ranks[{}]", job_.passes[record.pass], record.rank);
}

// Returns the line of the operator's first task.
RecordPlace TraceObservation::place_of(const OperatorRecord& record) const {
  const Trace& trace = traced_[record.pass].trace;
  return place_of_task(record.pass, record.rank, [&](const TraceTask& task) {
    return trace.operators[task.op].name == job_.names[record.op] &&
           since_[record.pass] + task.start == record.start;
  });
}

RecordPlace TraceObservation::place_of(const TransferRecord& record) const {
  const Trace& trace = traced_[record.pass].trace;
  return place_of_task(record.pass, record.src, [&](const TraceTask& task) {
    return task.remote && since_[record.pass] + task.start == record.start &&
           since_[record.pass] + task.done == record.end && trace.rank_of(task.dst) == record.dst;
  });
}

RecordPlace TraceObservation::place_of(const HostRecord&) const { return ""; }

std::string tasks_csv_name(const std::string& pass) { return "tasks_" + pass + ".csv"; }

}  // namespace a3sim
