#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "traces/import/job_reader.h"

// Derives the light records of a profiled job from kernels, exchanges and transfers of its ranks.
namespace a3sim {
namespace {

// Returns how late a rank was done by itself, in microseconds: without its waits for others, and with those for its
// host, which the others may have waited out too.
double lag_of_record(const LightRecord& record) {
  const double late = std::isnan(record.late) ? 0 : static_cast<double>(record.late);
  return microseconds(record.arrival - record.waited) + late;
}

}  // namespace

// Maps kinds of links to the machine's planes of the same names, ignoring case. Without a machine, makes
// planes with unknown rates.
void JobReader::take_machine(const ProfiledJob::MachineOf& machine) {
  ObservedMachine& observed_machine = to_.job_.machine;
  has_.machine = static_cast<bool>(machine);
  if (machine) {
    observed_machine = machine(std::max(1U, observed_machine.aic), std::max(1U, observed_machine.aiv));
  } else {
    for (const std::string& link : links_) observed_machine.planes.emplace_back().name = link;
  }
  const auto plane_of = [&](const std::string& link) -> std::uint16_t {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    const auto found = std::ranges::find_if(observed_machine.planes, [&](const ObservedPlane& plane) {
      return std::ranges::equal(plane.name, link, same);
    });
    return found == observed_machine.planes.end()
               ? 0
               : static_cast<std::uint16_t>(found - observed_machine.planes.begin());
  };
  for (auto& [number, step] : steps_)
    for (TransferRecord& put : step.transfers)
      if (put.plane < links_.size()) put.plane = plane_of(links_[put.plane]);
}

// Aligns the ranks' clocks by the ends of the collectives that they share.
void JobReader::align_clocks(const ProfiledClocks& clocks) {
  const auto shift = [&](std::uint32_t rank, Duration& time) {
    if (const auto clock = clocks.find(rank); clock != clocks.end()) time -= clock->second.offset();
  };
  const auto shift_all = [&](auto& records, auto rank) {
    for (auto& record : records) {
      shift(record.*rank, record.start);
      shift(record.*rank, record.end);
    }
  };
  for (auto& [number, step] : steps_) {
    shift_all(step.operators, &OperatorRecord::rank);
    shift_all(step.transfers, &TransferRecord::src);
    shift_all(step.host, &HostRecord::rank);
  }
  for (auto& [number, ranks] : seen_) {
    for (auto& [rank, in] : ranks) {
      Duration offset{};
      shift(rank, offset);
      if (offset == Duration::zero() || !in.seen()) continue;
      in.first += offset;
      in.last += offset;
      for (GatheredRankStep::Exchange& exchange : in.exchanges) {
        exchange.start += offset;
        exchange.end += offset;
      }
      for (Times* times : {&in.kernels, &in.memory_bound}) {
        Times moved;
        for (const Times::interval_type& of_it : *times)
          add_stretch(moved, Duration(of_it.lower()) + offset, Duration(of_it.upper()) + offset);
        *times = std::move(moved);
      }
    }
  }
}

// Leaves out what ranks did in a step.
void JobReader::leave_out(std::uint64_t number, const std::set<std::uint32_t>& ranks) {
  const auto is_left = [&](const auto& record) { return ranks.contains(record.rank); };
  std::vector<OperatorRecord>& operators = steps_[number].operators;
  std::vector<std::uint32_t>& lines = lines_[number];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (is_left(operators[i])) continue;
    operators[kept] = operators[i];
    lines[kept++] = lines[i];
  }
  operators.resize(kept);
  lines.resize(kept);
  std::erase_if(steps_[number].host, is_left);
  std::erase_if(seen_[number], [&](const auto& entry) { return ranks.contains(entry.first); });
}

// Leaves out ranks whose tables have no numbers of steps, if other ranks have them.
void JobReader::leave_out_stepless() {
  if (!has_.steps) return;
  for (const std::uint32_t rank : stepless_)
    to_.job_.missing.push_back(
        {fmt::format("kernel_details.csv: Step Id of rank {}", rank), "that rank, which is left out"});
  for (auto& [number, step] : steps_)
    std::erase_if(step.transfers, [&](const TransferRecord& put) { return stepless_.contains(put.src); });
  for (auto& [number, ranks] : seen_) leave_out(number, stepless_);
}

// Leaves out ranks that have kernels without durations in a step, since they seem to do less than they did.
// Keeps them if all ranks are like that.
void JobReader::leave_out_unfinished() {
  const auto is_whole = [](const auto& entry) { return entry.second.unfinished == 0; };
  const bool any_whole = std::ranges::any_of(
      seen_, [&](const auto& step) { return std::ranges::any_of(step.second, is_whole); });
  for (auto& [number, ranks] : seen_) {
    std::set<std::uint32_t> unfinished;
    for (const auto& [rank, entry] : ranks) {
      if (entry.unfinished == 0) continue;
      unfinished.insert(rank);
      to_.job_.missing.push_back(
          {fmt::format("kernel_details.csv: durations of {} kernels of rank {} in step {}", entry.unfinished,
                       rank, number),
           any_whole ? "that rank in that step, which is left out" : "what that step does"});
    }
    if (any_whole) leave_out(number, unfinished);
  }
}

// Leaves out ranks without a kernel in a step in which others have some: their tables end early.
void JobReader::leave_out_without_kernels() {
  std::map<std::uint32_t, std::vector<std::uint64_t>> steps;  // by rank
  for (auto& [number, ranks] : seen_) {
    const auto has_none = [](const auto& entry) { return entry.second.kernels_of.empty(); };
    if (std::ranges::all_of(ranks, has_none)) continue;
    std::set<std::uint32_t> without;
    for (const auto& entry : ranks)
      if (has_none(entry) && entry.second.seen()) without.insert(entry.first);
    for (const std::uint32_t rank : without) steps[rank].push_back(number);
    leave_out(number, without);
  }
  for (const auto& [rank, numbers] : steps)
    to_.job_.missing.push_back(
        {fmt::format("kernel_details.csv: kernels of rank {} in {} steps, from step {} on", rank,
                     numbers.size(), numbers.front()),
         "that rank in these steps, which is left out"});
}

// Finds when a rank sends or receives, and what runs beside it.
void JobReader::find_transfers() {
  for (auto& [number, step] : steps_) {
    std::map<std::uint32_t, GatheredRankStep>& ranks = seen_[number];
    for (TransferRecord& put : step.transfers) {
      ranks[put.src].bytes += put.bytes;
      if (put.start >= put.end) continue;
      Times beside;
      for (const std::uint32_t end : {put.src, put.dst}) {
        GatheredRankStep& step = ranks[end];
        add_stretch(step.transfers, put.start, put.end);
        beside += times_within(step.memory_bound, put.start, put.end);
      }
      put.beside = static_cast<float>(microseconds(length_of(beside)) / microseconds(put.end - put.start));
    }
  }
}

// Sets clocks as shares of the nominal clock or, if that is unknown, of the fastest.
void JobReader::find_clocks() {
  const double nominal = to_.job_.machine.clock > 0 ? to_.job_.machine.clock : fastest_;
  for (auto& [number, step] : steps_)
    for (OperatorRecord& record : step.operators)
      if (!std::isnan(record.clock))
        record.clock = static_cast<float>(static_cast<double>(record.clock) / nominal);
}

// Returns the light record of a rank in a step. The step ends with its last collective, unless the rank's
// own work follows. Idle time before that without an exchange counts as the host's lateness.
LightRecord JobReader::light(std::uint32_t step, std::uint32_t rank, GatheredRankStep& seen_rank_step,
                             Duration& released) const {
  LightRecord record;
  record.step = step;
  record.rank = rank;
  record.start = record.arrival = seen_rank_step.first;
  record.release = seen_rank_step.last;
  record.arrival = seen_rank_step.last;
  // Without kernels a step begins where the profiler's own sums say.
  if (seen_rank_step.kernels.empty() && seen_rank_step.told)
    record.start = std::min(record.start, seen_rank_step.last - seen_rank_step.told->length());
  constexpr Duration kBehind(1'000'000);  // a microsecond: the rounding of profilers
  const GatheredRankStep::Exchange* last = nullptr;
  for (const GatheredRankStep::Exchange& exchange : seen_rank_step.exchanges)
    if (exchange.collective && exchange.end + kBehind >= seen_rank_step.last &&
        (!last || exchange.start > last->start))
      last = &exchange;
  const bool meets = last && (seen_rank_step.kernels.empty() ||
                              Duration(seen_rank_step.kernels.rbegin()->upper()) <= last->start + kBehind);
  if (meets) record.arrival = last->start;
  Times busy = seen_rank_step.kernels | seen_rank_step.transfers;
  for (const GatheredRankStep::Exchange& exchange : seen_rank_step.exchanges) {
    if (meets && &exchange == last) continue;
    record.waited += exchange.waited;
    record.longest = std::max(record.longest, exchange.waited);
    if (exchange.start < exchange.end) add_stretch(busy, exchange.start, exchange.end);
  }
  record.waited = std::min(record.waited, std::max(Duration::zero(), record.arrival - record.start));
  const Duration begin = released == Duration::min() ? record.start : std::min(released, record.start);
  const double idle = microseconds(std::max(Duration::zero(), record.arrival - begin)) -
                      microseconds(length_of(times_within(busy, begin, record.arrival)));
  // Without its exchanges a rank's idle time is not known to be its host's.
  const bool kernels_seen = !seen_rank_step.kernels.empty();
  if (exchanges_seen(rank) && kernels_seen) record.late = static_cast<float>(std::max(0.0, idle));
  released = record.release;
  record.operations = counts_alike() ? seen_rank_step.operations : 0;
  record.bytes = seen_rank_step.bytes;
  record.rows = counts_alike() ? static_cast<std::uint32_t>(std::min(seen_rank_step.rows, 4e9)) : 0;
  record.aic_busy = static_cast<float>(microseconds(seen_rank_step.run[0]));
  record.aiv_busy = static_cast<float>(microseconds(seen_rank_step.run[1]));
  record.transfer = static_cast<float>(microseconds(length_of(seen_rank_step.transfers)));
  record.fill = seen_rank_step.fill;
  return record;
}

// Returns whether it is known when a rank exchanged data. A rank alone that sends nothing has no exchanges.
bool JobReader::exchanges_seen(std::uint32_t rank) const {
  return in_exchanges_.contains(rank) || (ranks_ == 1 && !communicates_);
}

// Makes the light records. Ranks that were not profiled get those of the one that lags least.
void JobReader::make_light() {
  std::vector<Duration> released(ranks_, Duration::min());
  for (auto& [number, ranks] : seen_) {
    const auto index = static_cast<std::uint32_t>(to_.light_.size());
    std::vector<LightRecord> records;
    for (auto& [rank, entry] : ranks)
      if (entry.seen()) records.push_back(light(index, rank, entry, released[rank]));
    FullStep full = std::move(steps_[number]);
    full.step = index;
    for (const LightRecord& record : records)
      if (!summed_.contains(record.rank)) full.ranks.push_back(record.rank);
    for (OperatorRecord& record : full.operators) record.step = index;
    for (TransferRecord& record : full.transfers) record.step = index;
    for (HostRecord& record : full.host) record.step = index;
    if (records.empty()) continue;
    std::set<std::size_t> products;
    for (const auto& [rank, entry] : ranks)
      if (entry.products > 0) products.insert(entry.products);
    if (products.size() > 1) {
      ++unlike_steps_;
      for (LightRecord& record : records) record.operations = record.rows = 0;
    }
    const LightRecord stand_in = *std::ranges::min_element(records, {}, lag_of_record);
    std::vector<LightRecord>& all = to_.light_.emplace_back(ranks_, stand_in);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) all[rank].rank = rank;
    for (const LightRecord& record : records) all[record.rank] = record;
    // A rank that was left out of this step has nothing to wait for until the others go on.
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (std::ranges::find(records, rank, &LightRecord::rank) == records.end())
        released[rank] = stand_in.release;
    to_.numbers_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kNone - 1)));
    to_.lines_.push_back(std::move(lines_[number]));
    to_.steps_.push_back(std::move(full));
  }
}

// Notes steps whose kernels fill little of them: their times may come from several steps.
void JobReader::tell_sparse_steps() {
  constexpr double kLittle = 0.05;
  for (std::size_t s = 0; s < to_.steps_.size(); ++s) {
    Duration busy{}, first = Duration::max(), last = Duration::min();
    for (const OperatorRecord& record : to_.steps_[s].operators) {
      busy += record.end - record.start;
      first = std::min(first, record.start);
      last = std::max(last, record.end);
    }
    const auto ranks = static_cast<double>(to_.steps_[s].ranks.size());
    if (first >= last || microseconds(busy) >= kLittle * ranks * microseconds(last - first)) continue;
    to_.job_.missing.push_back(
        {fmt::format(
             "kernel_details.csv: what runs in step {}: {:.1f} of {:.1f} ms have a kernel; are its times of "
             "several steps?",
             to_.numbers_[s], milliseconds(busy) / ranks, milliseconds(last - first)),
         "the step's time and its critical path"});
  }
}

// Notes ranks whose exchanges or hosts were not recorded, if those of others were.
void JobReader::tell_unseen_ranks() {
  ObservedJob& job = to_.job_;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    job.exchanges_seen.push_back(exchanges_seen(rank));
    job.hosts_seen.push_back(of_hosts_.contains(rank));
    if (!profiled_.contains(rank)) continue;
    if (!job.exchanges_seen.back() || !job.hosts_seen.back()) job.idle_unexplained = has_.order;
    if (!in_exchanges_.empty() && !in_exchanges_.contains(rank))
      job.missing.push_back({fmt::format("communication.json of rank {}", rank),
                             "host.*, device.idle: whether that rank waited for others"});
    if (!of_hosts_.empty() && !of_hosts_.contains(rank))
      job.missing.push_back({fmt::format("trace_view.json: what the host of rank {} does", rank), "host.*"});
  }
}

void JobReader::tell_missing_of_kineto() {
  std::vector<Missing>& missing = to_.job_.missing;
  if (!has_.steps)
    missing.push_back(
        {"gpu_user_annotation ProfilerStep#N (profiler.step() after each step)", "steps: all is one"});
  missing.push_back({"how long collectives wait for other ranks, which Kineto does not record", "waits"});
  missing.push_back({"what cores, memory and links do, which Kineto does not record",
                     "compute.*, load.imbalance, comm.link: roofs, clocks, rows and rates"});
  missing.push_back({"what hosts do: their events are not read", "host.*"});
}

void JobReader::tell_missing_of_tables() {
  const auto lacks = [&](bool there, const char* column, const char* what) {
    if (!there) to_.job_.missing.push_back({column, what});
  };
  lacks(has_.steps, "kernel_details.csv: Step Id", "steps: all is one");
  lacks(has_.core_times, "kernel_details.csv: aicore_time(us), aiv_time(us)",
        "compute.clock, compute.hbm: what cores compute and what they wait for");
  lacks(has_.cycles, "kernel_details.csv: aic_total_cycles", "compute.clock");
  lacks(has_.shapes, "kernel_details.csv: Input Shapes, Output Shapes", "load.imbalance; equal work");
  lacks(counts_alike(), "kernel_details.csv: Input Shapes, Output Shapes, Accelerator Core on all ranks",
        "load.imbalance: rows and operations are counted alike only where all have them");
  lacks(has_.blocks, "kernel_details.csv: Block Num, Block Dim",
        "compute.clock, compute.hbm: how many cores ran a kernel");
  if (unlike_steps_ > 0)
    to_.job_.missing.push_back(
        {fmt::format("kernel_details.csv: the same matrix kernels on all ranks, in {} steps", unlike_steps_),
         "load.imbalance: rows and operations are compared only where ranks have the same kernels"});
  lacks(has_.hbm, "kernel_details.csv: *_main_memory_datas(KB)", "compute.hbm, compute.memory");
  lacks(has_.order, "kernel_details.csv: kernels in the order of their starts",
        "device.idle: gaps between them");
}

void JobReader::tell_missing() {
  if (!summed_.empty())
    to_.job_.missing.push_back(
        {fmt::format("full records of {} of {} ranks, from rank {} on: there are more than {} records",
                     summed_.size(), profiled_.size(), *summed_.begin(), most_),
         "what compares single operators; these ranks are summed up"});
  tell_sparse_steps();
  tell_unseen_ranks();
  to_.job_.exchanges_split = has_.waits || exchanges_ == 0;
  const auto lacks = [&](bool there, const char* column, const char* what) {
    if (!there) to_.job_.missing.push_back({column, what});
  };
  if (kineto_) return tell_missing_of_kineto();
  if (tables_ > 0)
    tell_missing_of_tables();
  else
    lacks(false, "kernel_details.csv: what runs on the cores", "compute.*, load.imbalance");
  lacks(has_.waits, "communication.json", "waits for other ranks, and clocks");
  lacks(transfers_ > 0, "trace_view.json: src rank, dst rank, size(Byte)", "comm.*");
  lacks(host_ > 0,
        has_.framework
            ? "trace_view.json: launches and other events of CANN, beside the framework's operators"
            : "trace_view.json: what hosts do",
        "host.*");
  lacks(has_.fill, "fill of the queues of batches", "io.read, io.process, io.fetch");
  lacks(has_.machine, "the machine's rates: --machine FILE", "roofs, and what transfers could reach");
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if (!profiled_.contains(rank))
      to_.job_.missing.push_back({fmt::format("profile of rank {}", rank), "that rank"});
}

}  // namespace a3sim
