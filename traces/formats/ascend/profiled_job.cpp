#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/core/error.h"
#include "traces/formats/ascend/profiled_rank.h"

// Builds profiles from a job's full records, as profilers of its ranks would have written them.
namespace a3sim {
namespace {

constexpr std::size_t kMostPuts = 2'000'000;  // of all ranks, that tools still open

using OperatorKey = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>;  // rank, pass, operator

std::uint32_t whole(double number) { return static_cast<std::uint32_t>(std::llround(number)); }

// Finds a product's inner axis from its operations, two per multiply-accumulate, and the size of its
// output.
ProfiledCounters counters_of(const OperatorRecord& record, double nominal_clock) {
  ProfiledCounters counters;
  counters.rows = record.rows;
  counters.columns = record.inner;
  const double written = static_cast<double>(record.rows) * record.inner;
  if (record.core == CoreKind::kCube && written > 0) counters.inner = whole(record.operations / 2 / written);
  counters.hbm_bytes = record.hbm_bytes;
  counters.l2_bytes = record.l2_bytes;
  if (!std::isnan(record.clock)) counters.clock = static_cast<double>(record.clock) * nominal_clock;
  return counters;
}

class JobProfiles {
 public:
  explicit JobProfiles(const Observation& job) : job_(job), ranks_(job.ranks()) {
    for (const std::uint32_t step : job.full_steps()) wanted_.insert(step);
  }

  std::vector<ProfiledRank> take() {
    job_.each_step(
        [&](std::uint32_t number, std::span<const LightRecord> records) { add_step(number, records); });
    if (ranks_.empty() || ranks_.front().steps.empty())
      throw InputError(
          "no step of the job was recorded in full of all ranks: a3sim run --steps N --record full");
    return std::move(ranks_);
  }

 private:
  void add_step(std::uint32_t number, std::span<const LightRecord> records) {
    Duration end{};
    for (const LightRecord& record : records) {
      end = std::max(end, record.release);
      if (begin_ == kNotYet) begin_ = record.start;
    }
    const Duration begin = std::exchange(begin_, end);
    if (!wanted_.contains(number)) return;
    const FullStep full = job_.full(number);
    if (full.ranks.size() < ranks_.size()) return;
    puts_ += full.transfers.size();
    if (puts_ > kMostPuts)
      throw InputError(fmt::format(
          "the steps that were recorded in full have more than {} puts, which no tool opens: monitor fewer "
          "steps",
          kMostPuts));
    for (ProfiledRank& rank : ranks_) {
      ProfiledStep& step = rank.steps.emplace_back();
      step.number = number;
      step.start = begin;
      step.length = end - begin;
    }
    for (const LightRecord& record : records) add_light(record, ranks_[record.rank].steps.back());
    add_full(full);
  }

  // Adds the waits of a rank for rows of others, and its meeting with them after a pass.
  void add_light(const LightRecord& record, ProfiledStep& step) const {
    const std::string& pass = job_.passes()[record.pass];
    if (record.waited > Duration::zero())
      step.waits.push_back({fmt::format("hcom_receive__{}_{}", pass, record.pass), record.start,
                            record.start + record.waited, record.waited, false});
    step.waits.push_back({fmt::format("hcom_allReduce__{}_{}", pass, record.pass), record.arrival,
                          record.release, record.release - record.arrival, true});
    // As profilers of hardware do: whoever waits in an exchange communicates.
    for (const ProfiledWait& wait : step.waits)
      if (wait.start < wait.end) add_stretch(step.communicating, wait.start, wait.end);
    if (std::ranges::none_of(record.fill, [](std::uint8_t fill) { return fill == kNoFill; }))
      step.fill = record.fill;
  }

  void add_full(const FullStep& full) {
    std::map<OperatorKey, std::size_t> exchanges;  // position among the step's
    for (const OperatorRecord& record : full.operators) {
      ProfiledStep& step = ranks_[record.rank].steps.back();
      if (record.lane == Lane::kCompute) {
        add_kernel(record, step);
      } else if (record.lane == Lane::kCommunication) {
        exchanges[{record.rank, record.pass, record.op}] = step.exchanges.size();
        ProfiledExchange& exchange = step.exchanges.emplace_back();
        exchange.name = job_.names()[record.op];
        exchange.start = record.start;
        exchange.end = record.end;
        exchange.to.resize(ranks_.size());
      }
    }
    for (const TransferRecord& put : full.transfers) {
      const auto exchange = exchanges.find({put.src, put.pass, put.op});
      if (exchange != exchanges.end()) add_put(put, ranks_[put.src].steps.back(), exchange->second);
    }
    for (const HostRecord& host : full.host)
      ranks_[host.rank].steps.back().host.push_back({host.kind, host.start, host.end});
    for (ProfiledRank& rank : ranks_) finish(rank.steps.back());
  }

  void add_kernel(const OperatorRecord& record, ProfiledStep& step) const {
    ProfiledKernel& kernel = step.kernels.emplace_back();
    const bool cube = record.core == CoreKind::kCube;
    kernel.name = job_.names()[record.op];
    kernel.unit = cube ? TaskUnit::kCube : TaskUnit::kVector;
    kernel.workers = std::max(1U, cube ? job_.machine().aic : job_.machine().aiv);
    kernel.start = record.start;
    kernel.end = record.end;
    kernel.run = record.run;
    kernel.arithmetic = record.arithmetic;
    kernel.counters = counters_of(record, job_.machine().clock);
    add_stretch(step.computing, record.start, record.end);
  }

  void add_put(const TransferRecord& put, ProfiledStep& step, std::size_t number) const {
    ProfiledExchange& exchange = step.exchanges[number];
    const Duration time = put.end - put.start;
    const auto bytes = static_cast<std::uint64_t>(std::llround(put.bytes));
    ProfiledExchange::Sent& sent = exchange.to[put.dst];
    sent.bytes += bytes;
    sent.time += time;
    exchange.end = std::max(exchange.end, put.end);
    exchange.puts.emplace_back(bytes, time);
    add_stretch(step.communicating, put.start, put.end);
    step.puts.push_back(
        {put.dst, put.bytes, put.start, put.end, exchange.name, job_.machine().planes[put.plane].name});
  }

  static void finish(ProfiledStep& step) {
    std::ranges::stable_sort(step.kernels, {}, &ProfiledKernel::start);
    std::ranges::stable_sort(step.exchanges, {}, &ProfiledExchange::start);
    std::ranges::stable_sort(step.puts, {}, &ProfiledPut::start);
    for (ProfiledExchange& exchange : step.exchanges) {
      Times under_way;
      for (const ProfiledPut& put : step.puts)
        if (put.name == exchange.name && put.start >= exchange.start && put.end <= exchange.end)
          add_stretch(under_way, put.start, put.end);
      exchange.transit = length_of(under_way);
    }
    choose_streams(step.kernels, step.start);
  }

  static constexpr Duration kNotYet = Duration::min();
  const Observation& job_;
  std::vector<ProfiledRank> ranks_;
  std::set<std::uint32_t> wanted_;  // steps
  Duration begin_ = kNotYet;        // of the next step: the end of the one before
  std::size_t puts_ = 0;
};

}  // namespace

std::vector<ProfiledRank> profiled(const Observation& job) { return JobProfiles(job).take(); }

}  // namespace a3sim
