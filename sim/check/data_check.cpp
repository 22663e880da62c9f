#include "sim/check/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/operators/operator.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

// Fills a task's outputs while it computes, to tell what it writes: a NaN that no arithmetic gives.
constexpr std::uint32_t kUntouched = 0x7fd5a5a5;

bool touched(float value) { return std::bit_cast<std::uint32_t>(value) != kUntouched; }

std::vector<std::vector<TensorInfo>> tensors_by_rank(const Schedule& schedule) {
  std::vector<std::vector<TensorInfo>> all;
  for (const Ssc& ssc : schedule) all.emplace_back(ssc.tensors().begin(), ssc.tensors().end());
  return all;
}

// Throws InputError unless both have the same size.
void check_size(const std::string& name, const TensorData& expected, const TensorData& actual) {
  if (expected.rows == actual.rows && expected.cols == actual.cols) return;
  throw InputError(
      fmt::format("tensor '{}' has {} rows of {} in the schedules, and {} of {} in the configuration", name,
                  actual.rows, actual.cols, expected.rows, expected.cols));
}

// Returns a scale at which sums over K stay about as large as their terms.
float scale_of(const TensorNode& tensor) {
  if (tensor.layout != Layout::kWeights) return 1;
  return std::exp2(-std::floor(std::log2(std::sqrt(static_cast<float>(tensor.rows)))));
}

}  // namespace

CarriedRun::CarriedRun(const Schedule& schedule, const RoutingCounts& counts,
                       std::vector<std::vector<SentRow>> sent, const Tensors& given)
    : schedule_(schedule),
      counts_(counts),
      layout_(schedule.front().shape(), capacity_of(schedule), counts),
      data_(layout_, tensors_by_rank(schedule)) {
  data_.sent = std::move(sent);
  for (const auto& [name, by_rank] : given) {
    const TensorId id = id_of(name);
    for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
      TensorData& tensor = data_.tensor(RankId{rank}, id);
      check_size(name, by_rank[rank], tensor);
      tensor = by_rank[rank];
    }
  }
}

RunResult CarriedRun::run(const Hardware& hardware, const Program& program, const NetworkBackend& backend,
                          RunOptions options, const Delays& delays) {
  delays_ = &delays;
  options.hooks = this;
  std::size_t tasks = 0;
  for (const Ssc& ssc : schedule_) tasks += ssc.tasks().size();
  Progress progress("tasks on real tensors", tasks);
  progress_ = &progress;
  return run_schedule(schedule_, counts_, hardware, program, backend, options);
}

std::vector<TensorData> CarriedRun::tensor(const std::string& name) const {
  const TensorId id = id_of(name);
  std::vector<TensorData> by_rank;
  for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
    by_rank.push_back(data_.tensor(RankId{rank}, id));
  return by_rank;
}

const TensorInfo& CarriedRun::info(const std::string& name) const {
  return schedule_.front().tensors()[index(id_of(name))];
}

TensorId CarriedRun::id_of(const std::string& name) const {
  const std::span<const TensorInfo> tensors = schedule_.front().tensors();
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  if (found == tensors.end()) {
    throw InputError(fmt::format("the schedules of '{}' have no tensor '{}', which the configuration's have",
                                 schedule_.front().graph(), name));
  }
  return TensorId{static_cast<std::uint32_t>(found - tensors.begin())};
}

Duration CarriedRun::delay(RankId rank, std::uint32_t task, Time) {
  return delays_->empty() ? Duration::zero() : (*delays_)[index(rank)][task];
}

// Returns the elements of a region's real rows, whichever blocks it covers.
std::span<float> CarriedRun::elements(RankId rank, const Region& region) {
  const TensorInfo& info = schedule_[index(rank)].tensors()[region.tensor];
  const Rows rows = layout_.pack(info.layout, region.rank, region.rows());
  return std::span(data_.tensor(RankId{region.rank}, TensorId{region.tensor}).values)
      .subspan(std::size_t{rows.begin} * info.cols, std::size_t{rows.size()} * info.cols);
}

void CarriedRun::started(RankId rank, std::uint32_t task) {
  const Ssc& ssc = schedule_[index(rank)];
  const TaskDescriptor& td = ssc.tasks()[task];
  const TaskView view{td, read_by(ssc.inputs(td)), ssc.outputs(td)};
  std::vector<std::vector<float>> before;
  for (const Region& region : view.outputs) {
    const std::span<float> values = elements(rank, region);
    before.emplace_back(values.begin(), values.end());
    std::ranges::fill(values, std::bit_cast<float>(kUntouched));
  }
  const WorkContext context{layout_, ssc.tensors(), ssc.operators(), ssc.tilings(), rank};
  Operators::get(ssc.operators()[td.op].type).compute(context, view, data_);

  std::vector<Run>& runs = in_flight_[{rank, task}];
  for (std::size_t i = 0; i < view.outputs.size(); ++i) {
    const Region& region = view.outputs[i];
    const std::span<float> values = elements(rank, region);
    for (auto at = std::ranges::find_if(values, touched); at != values.end();) {
      const auto end = std::find_if_not(at, values.end(), touched);
      runs.push_back({&*at, {at, end}});
      at = std::find_if(end, values.end(), touched);
    }
    std::ranges::copy(before[i], values.begin());
  }
}

void CarriedRun::ended(RankId rank, std::uint32_t task) {
  const auto found = in_flight_.find({rank, task});
  for (const Run& run : found->second) std::ranges::copy(run.values, run.first);
  in_flight_.erase(found);
  progress_->step();
}

bool right(std::span<const TensorComparison> outcome) {
  return std::ranges::all_of(outcome, [](const TensorComparison& comparison) { return comparison.right(); });
}

DataCheck::DataCheck(DataCase data_case, std::uint64_t seed, std::map<std::string, Schedule> given)
    : case_(std::move(data_case)),
      seed_(seed),
      schedules_(std::move(given)),
      counts_(case_.routed.counts(case_.experiment.shape)),
      sent_(sent_by_rank(case_)) {
  const RoutingCounts capacity = capacity_of(case_.experiment, counts_);
  for (std::size_t i = 0; i < case_.experiment.passes.size(); ++i) {
    const a3sim::Pass& of_pass = case_.experiment.passes[i];
    Pass& pass = passes_.emplace_back();
    pass.name = of_pass.name;
    pass.oracle = case_.oracles[i];
    pass.schedule = schedule_of(of_pass, capacity);
    draw_inputs(pass, of_pass.graph);
    pass.expected = expected_tensors(case_, i, known_);
    CarriedRun carried(pass.schedule, counts_, sent_, pass.given);
    pass.makespan = carry(carried, {});
    pass.outcome = compare_all(pass, carried);
    if (pass.oracle != Oracle::kForward) continue;
    for (const char* kept : {"received", "gate_up", "activation"}) known_[kept] = carried.tensor(kept);
  }
}

Schedule DataCheck::schedule_of(const a3sim::Pass& pass, const RoutingCounts& capacity) const {
  const auto given = schedules_.find(pass.name);
  if (given == schedules_.end()) return compile_pass(case_.experiment, pass, capacity).schedule;
  if (given->second.front().shape() == case_.experiment.shape) return given->second;
  throw InputError(fmt::format(
      "the schedules of pass '{}' were compiled for another shape or group than the configuration's",
      pass.name));
}

// Draws external tensors, the same ones for all passes.
void DataCheck::draw_inputs(Pass& pass, const Graph& graph) {
  const RowLayout layout(case_.experiment.shape, counts_);
  for (std::uint32_t t = 0; t < graph.tensors().size(); ++t) {
    const TensorNode& node = graph.tensors()[t];
    if (!node.external) continue;
    std::vector<TensorData>& values = known_[node.name];
    for (std::uint32_t rank = static_cast<std::uint32_t>(values.size()); rank < pass.schedule.size();
         ++rank) {
      const std::uint32_t rows = tensor_infos(graph, layout, RankId{rank})[t].rows;
      const std::uint64_t stream = passes_.size() << 48 | std::uint64_t{t} << 32 | rank;
      values.push_back(random_tensor(node.dtype, rows, node.cols, scale_of(node), seed_, stream));
    }
    pass.given[node.name] = values;
  }
}

// Returns the makespan.
Duration DataCheck::carry(CarriedRun& run, const Delays& delays) const {
  const Experiment& experiment = case_.experiment;
  return run
      .run(experiment.hardware, experiment.program, backend_of(experiment), options_of(experiment, false),
           delays)
      .makespan;
}

std::vector<TensorComparison> DataCheck::compare_all(const Pass& pass, const CarriedRun& run) const {
  std::vector<TensorComparison> outcome;
  for (const auto& [name, expected] : pass.expected) {
    const DataType dtype = run.info(name).dtype;
    const std::vector<TensorData> actual = run.tensor(name);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) check_size(name, expected[rank], actual[rank]);
    outcome.push_back(compare(name, dtype, expected, actual));
  }
  return outcome;
}

std::vector<TensorComparison> DataCheck::run(const Pass& pass, const Schedule& schedule,
                                             const Delays& delays) const {
  CarriedRun carried(schedule, counts_, sent_, pass.given);
  carry(carried, delays);
  return compare_all(pass, carried);
}

}  // namespace a3sim
