#include "traces/import/job_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "sim/core/error.h"
#include "traces/import/kineto.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostRanks = 65'536;
constexpr std::size_t kMostRankSteps = 500'000;
constexpr std::uint16_t kMostOfName = 65'535;
constexpr std::size_t kMostNames = 100'000, kLongestOperator = 1000;

double elements(const std::vector<double>& axes) {
  return axes.empty() ? 0 : std::accumulate(axes.begin(), axes.end(), 1.0, std::multiplies<>());
}

// Returns the path relative to the named one, as a reader would look for it.
std::string below(const fs::path& path, const fs::path& base) {
  return fs::absolute(base)
      .lexically_normal()
      .lexically_relative(fs::absolute(path / "").lexically_normal())
      .string();
}

CoreKind core_of(const KernelRow& row) {
  for (const CoreKind kind : {CoreKind::kCube, CoreKind::kVector, CoreKind::kCpu})
    if (row.core == name_of(kind)) return kind;
  if (row.core.starts_with(name_of(CoreKind::kMix))) return CoreKind::kMix;
  return CoreKind::kNoCore;
}

// Adds rows and operations: for [rows, inner] x [inner, columns] two per multiply-accumulate, whatever
// further axes there are; for others one per element of the output.
void add_shapes(const KernelRow& row, OperatorRecord& record) {
  if (row.outs.empty() || row.outs.front().empty()) return;
  const std::vector<double>& out = row.outs.front();
  const double written = elements(out);
  record.inner = static_cast<std::uint32_t>(std::min(out.back(), 4e9));
  record.rows = static_cast<std::uint32_t>(std::min(out.back() > 0 ? written / out.back() : 0, 4e9));
  const bool product = record.core == CoreKind::kCube || record.core == CoreKind::kMix;
  const double inner = product && !row.ins.empty() && !row.ins.front().empty() ? row.ins.front().back() : 0;
  record.operations = product ? 2 * written * inner : written;
}

}  // namespace

void JobReader::read(const fs::path& path, const ProfiledJob::MachineOf& machine) {
  std::error_code error;
  kineto_ = is_kineto_profile(path);
  path_ = fs::is_directory(path, error) ? path : path.parent_path();
  std::vector<std::string> notes;
  const ProfiledClocks clocks = kineto_ ? read_kineto(path, *this, notes) : read_ascend(path, *this, notes);
  if (kineto_)
    for (std::string& table : to_.tables_) table += ", kernel";
  for (std::string& note : notes) to_.job_.missing.push_back({std::move(note), ""});
  if (seen_.empty()) throw InputError(path.string() + ": no kernel with a start in it");
  take_machine(machine);
  compare_exchanges();
  name_groups();
  number_links();
  account();
  tell_differences();
  align_clocks(clocks);
  leave_out_stepless();
  leave_out_unfinished();
  leave_out_without_kernels();
  find_transfers();
  find_clocks();
  make_light();
  tell_missing();
}

void JobReader::begin(std::span<const ProfiledHome> homes) {
  for (const ProfiledHome& home : homes) {
    if (home.rank >= kMostRanks)
      throw InputError(
          fmt::format("{}: rank {}, expected below {}", home.home.string(), home.rank, kMostRanks));
    ranks_ = std::max(ranks_, home.rank + 1);
    profiled_.insert(home.rank);
  }
  to_.job_.ranks = ranks_;
  to_.job_.nodes.assign(ranks_, 0);
  to_.folders_.resize(ranks_);
  to_.tables_.resize(ranks_);
}

void JobReader::begin_rank(const ProfiledHome& home) {
  // The directory is <host>_<pid>_<date>_ascend_pt.
  const std::string directory = home.home.filename().string();
  const std::string host = directory.substr(0, directory.find('_'));
  to_.job_.nodes[home.rank] =
      hosts_.try_emplace(host, static_cast<std::uint32_t>(hosts_.size())).first->second;
  reading_ = home.rank;
  in_full_ = has_room();
  if (!in_full_) summed_.insert(home.rank);
  const fs::path table = !home.tables.empty()     ? home.tables.front()
                         : !home.database.empty() ? home.database
                                                  : home.folder / "communication.json";
  if (home.tables.empty() && home.database.empty()) tableless_.insert(home.rank);
  to_.folders_[home.rank] = below(path_, home.folder);
  to_.tables_[home.rank] = below(path_, table);
  busy_until_ = last_start_ = Duration::min();
  begins_.clear();
  order_ = {};
}

void JobReader::end_rank(const ProfiledHome& home) {
  has_.order = has_.order && order_.ordered();
  for (const auto& [number, ranks] : seen_) {
    const auto own = ranks.find(home.rank);
    if (own != ranks.end() && own->second.seen()) begins_.emplace(own->second.first, number);
  }
}

void JobReader::table(const std::string& /*name*/, const KernelColumns& columns) {
  has_.steps = has_.steps || columns.steps;
  has_.core_times = has_.core_times || columns.core_times;
  has_.cycles = has_.cycles || columns.cycles;
  has_.shapes = has_.shapes || columns.shapes;
  has_.hbm = has_.hbm || columns.hbm;
  has_.blocks = has_.blocks || columns.blocks;
  has_.pipes = has_.pipes || columns.pipes;
  if (!columns.steps) stepless_.insert(reading_);
  ++tables_;
  shaped_ += columns.shapes;
  with_cores_ += columns.cores;
}

void JobReader::unfinished(std::uint32_t rank, const KernelRow& row) {
  // Counts only kernels that began. Events and notifications have neither time nor duration.
  if (row.start && is_of_step(row)) ++seen(row.step.value_or(0), rank).unfinished;
}

void JobReader::kernel(std::uint32_t rank, const KernelRow& row, std::size_t line) {
  if (!row.start) return;
  order_.add(*row.start, *row.start + *row.time);
  // A kernel between steps belongs to none; collectives are exchanges.
  if (!is_of_step(row) || row.is_collective()) return;
  if (in_full_) count(kernels_, "kernels");
  // Where rows are in another order than their starts, nothing is known to have run beside a kernel.
  sum_up(rank, row, line, *row.start < last_start_ ? Duration::min() : busy_until_);
  last_start_ = *row.start;
  busy_until_ = std::max(busy_until_, *row.start + *row.time);
  const std::uint64_t number = row.step.value_or(0);
  GatheredRankStep& seen_rank_step = seen(number, rank);
  OperatorRecord record;
  record.rank = rank;
  record.op = name(row.type.empty() ? row.name : row.type);
  std::uint16_t& before = seen_rank_step.kernels_of[record.op];
  record.pass = before;
  if (before < kMostOfName) ++before;
  record.core = core_of(row);
  record.start = *row.start;
  record.end = *row.start + *row.time;
  record.wait = row.wait;
  add_work(row, record, seen_rank_step);
  seen_rank_step.reach(record.start, record.end);
  if (record.start < record.end) {
    add_stretch(seen_rank_step.kernels, record.start, record.end);
    const bool timed = row.run[0] + row.run[1] > Duration::zero();
    if (timed && 2 * record.arithmetic < record.run)
      add_stretch(seen_rank_step.memory_bound, record.start, record.end);
  }
  if (!in_full_) return;
  step(number).operators.push_back(record);
  lines_[number].push_back(static_cast<std::uint32_t>(line));
}

void JobReader::add_work(const KernelRow& row, OperatorRecord& record, GatheredRankStep& to) {
  record.run = row.run[0] + row.run[1];
  record.arithmetic = row.arithmetic[0] + row.arithmetic[1];
  // A clock needs times of cores and how many of them there were.
  const double cycles = row.cycles[0] + row.cycles[1];
  if (cycles > 0 && record.run > Duration::zero()) {
    const double clock = cycles / seconds(record.run);
    fastest_ = std::max(fastest_, clock);
    record.clock = static_cast<float>(clock);  // becomes a share of the fastest when all are known
  }
  const bool timed = record.run > Duration::zero();
  // Without times of cores, assumes that all of them run all the time.
  if (!timed) record.run = *row.time * std::max(1U, row.workers());
  // Nor are bytes told of without them: what waits for memory is what arithmetic leaves.
  record.hbm_bytes = timed ? row.hbm_bytes : 0;
  record.l2_bytes = row.l2_bytes;
  add_shapes(row, record);
  ObservedMachine& machine = to_.job_.machine;
  machine.aic = std::max(machine.aic, row.cores[0]);
  machine.aiv = std::max(machine.aiv, row.cores[1]);
  const bool matrix = row.is_matrix();
  to.run[0] += row.run[0] > Duration::zero() || !matrix ? row.run[0] : record.run;
  to.run[1] += row.run[1] > Duration::zero() || matrix ? row.run[1] : record.run;
  to.operations += record.operations;
  if (matrix) {
    to.rows += record.rows;
    ++to.products;
  }
}

std::uint64_t JobReader::number_of(std::string_view step, std::uint32_t rank) const {
  std::uint64_t number = 0;
  if (step.starts_with("step") && (has_.steps || tableless_.contains(rank))) {
    const std::string_view digits = step.substr(4);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  return number;
}

void JobReader::exchange(std::uint32_t rank, const RecordedExchange& exchange) {
  has_.waits = has_.waits || exchange.tells_waits();
  // A collective between steps belongs to none.
  if (!exchange.step.starts_with("step") && !exchange.tells_waits() && has_.steps) return;
  const std::uint64_t number = number_of(exchange.step, rank);
  if (!exchange.start) return;
  // Exchanges of steps without kernels lie outside of what was profiled, unless the rank has nothing else.
  if (exchange.tells_waits() && !seen_.contains(number) && !tableless_.contains(rank)) return;
  count(exchanges_, "exchanges", kOfAllRanks);
  in_exchanges_.insert(rank);
  const Duration from = *exchange.start, to = from + exchange.elapsed;
  GatheredRankStep& in = seen(number, rank);
  GatheredRankStep::Exchange seen{from, to, exchange.waited, exchange.collective};
  seen.split = exchange.waits_told && exchange.tells_waits();
  seen.transit_told = exchange.transit_told && exchange.tells_waits();
  seen.group = group_of(exchange.name, rank);
  seen.name = name(exchange_of(exchange.name));
  seen.call = call_of(exchange.name);
  seen.transit = exchange.transit;
  seen.bytes = exchange.bytes;
  seen.line = static_cast<std::uint32_t>(exchange.line);
  in.exchanges.push_back(seen);
  in.reach(from, to);
  // A mere wait for others keeps no link busy.
  const bool moves =
      exchange.elapsed > Duration::zero() && (!seen.split || exchange.transit > Duration::zero());
  if (!moves || !in_full_) return;
  OperatorRecord record;
  record.rank = rank;
  record.op = seen.name;
  record.lane = Lane::kCommunication;
  record.start = from;
  record.end = to;
  step(number).operators.push_back(record);
  lines_[number].push_back(seen.line);
}

void JobReader::step_time(std::uint32_t rank, const ToldStep& told) {
  std::uint64_t number = told.step.value_or(0);
  if (!has_.steps && !tableless_.contains(rank)) number = 0;
  const auto step = seen_.find(number);
  if (step == seen_.end() && !tableless_.contains(rank)) return;
  // Steps of a table without numbers are one.
  std::optional<StepTime::Told>& sum = seen(number, rank).told;
  if (!sum) sum = StepTime::Told{};
  sum->computing += told.computing;
  sum->exposed += told.exposed;
  sum->free += told.free;
  if (sum->line == 0) sum->line = told.line;
  if (told.clock > 0) sum->clock = told.clock;
}

std::uint32_t JobReader::name(const std::string& text) {
  const std::string clean = printable(text);
  if (clean.size() > kLongestOperator || to_.job_.names.size() > kMostNames)
    throw InputError(fmt::format("more than {} names, or one of more than {} letters: is this a profile?",
                                 kMostNames, kLongestOperator));
  const auto [found, added] = names_.try_emplace(clean, static_cast<std::uint32_t>(to_.job_.names.size()));
  if (added) to_.job_.names.push_back(clean);
  return found->second;
}

FullStep& JobReader::step(std::uint64_t number) {
  if (seen_.size() * ranks_ > kMostRankSteps)
    throw InputError(fmt::format("more than {} steps of ranks: is this a profile?", kMostRankSteps));
  return steps_[number];
}

void JobReader::count(std::size_t& records, std::string_view what, std::size_t times) const {
  if (++records > times * most_)
    throw InputError(fmt::format("more than {} {}: profile fewer steps, or name fewer ranks' directories",
                                 times * most_, what));
}

bool JobReader::has_room() {
  const std::array<std::size_t, 4> now{kernels_, transfers_, host_, framework_};
  bool room = true;
  for (std::size_t kind = 0; kind < now.size(); ++kind) {
    largest_[kind] = std::max(largest_[kind], now[kind] - kept_[kind]);
    room = room && now[kind] + largest_[kind] <= most_;
  }
  kept_ = now;
  return room;
}

}  // namespace a3sim
