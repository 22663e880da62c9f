#include "sim/study/data/carried_run.h"

#include <algorithm>
#include <bit>

#include "models/operators/operator.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

// Stands in a task's outputs while it computes, to tell what it writes: a NaN that no arithmetic gives.
constexpr std::uint32_t kUntouched = 0x7fd5a5a5;

bool touched(float value) { return std::bit_cast<std::uint32_t>(value) != kUntouched; }

std::vector<std::vector<TensorInfo>> tensors_by_rank(const Schedule& schedule) {
  std::vector<std::vector<TensorInfo>> all;
  for (const Ssc& ssc : schedule) all.emplace_back(ssc.tensors().begin(), ssc.tensors().end());
  return all;
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
    for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank)
      data_.tensor(RankId{rank}, id) = by_rank[rank];
  }
}

RunResult CarriedRun::run(const Hardware& hardware, const NetworkBackend& backend, RunOptions options,
                          const Delays& delays) {
  delays_ = &delays;
  options.hooks = this;
  return run_schedule(schedule_, counts_, hardware, backend, options);
}

std::vector<TensorData> CarriedRun::tensor(const std::string& name) const {
  const TensorId id = id_of(name);
  std::vector<TensorData> by_rank;
  for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
    by_rank.push_back(data_.tensor(RankId{rank}, id));
  return by_rank;
}

TensorId CarriedRun::id_of(const std::string& name) const {
  const std::span<const TensorInfo> tensors = schedule_.front().tensors();
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  return TensorId{static_cast<std::uint32_t>(found - tensors.begin())};
}

Duration CarriedRun::delay(RankId rank, std::uint32_t task, Time) {
  return delays_->empty() ? Duration::zero() : (*delays_)[index(rank)][task];
}

// The elements of a region's real rows, whatever blocks of them it means.
std::pair<std::size_t, std::size_t> CarriedRun::elements(RankId rank, const Region& region) const {
  const TensorInfo& info = schedule_[index(rank)].tensors()[region.tensor];
  const Rows rows = layout_.pack(info.layout, region.rank, region.rows());
  return {std::size_t{rows.begin} * info.cols, std::size_t{rows.end} * info.cols};
}

void CarriedRun::started(RankId rank, std::uint32_t task) {
  const Ssc& ssc = schedule_[index(rank)];
  const TaskDescriptor& td = ssc.tasks()[task];
  const TaskView view{td, ssc.inputs(td), ssc.outputs(td)};
  std::vector<std::vector<float>> before;
  for (const Region& region : view.outputs) {
    auto& values = data_.tensor(RankId{region.rank}, TensorId{region.tensor}).values;
    const auto [begin, end] = elements(rank, region);
    before.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(begin),
                        values.begin() + static_cast<std::ptrdiff_t>(end));
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin), end - begin,
                std::bit_cast<float>(kUntouched));
  }
  const WorkContext context{layout_, ssc.tensors(), ssc.operators(), ssc.tilings(), rank};
  Operators::get(ssc.operators()[td.op].type).compute(context, view, data_);

  std::vector<Run>& runs = in_flight_[{rank, task}];
  for (std::size_t i = 0; i < view.outputs.size(); ++i) {
    const RankId where{view.outputs[i].rank};
    const TensorId tensor{view.outputs[i].tensor};
    auto& values = data_.tensor(where, tensor).values;
    const auto [begin, end] = elements(rank, view.outputs[i]);
    bool in_run = false;
    for (std::size_t at = begin; at < end; ++at) {
      if (touched(values[at])) {
        if (!in_run) runs.push_back({where, tensor, at, {}});
        runs.back().values.push_back(values[at]);
      }
      in_run = touched(values[at]);
      values[at] = before[i][at - begin];
    }
  }
}

void CarriedRun::ended(RankId rank, std::uint32_t task) {
  const auto found = in_flight_.find({rank, task});
  for (const Run& run : found->second) {
    auto& values = data_.tensor(run.rank, run.tensor).values;
    std::ranges::copy(run.values, values.begin() + static_cast<std::ptrdiff_t>(run.first));
  }
  in_flight_.erase(found);
}

}  // namespace a3sim
