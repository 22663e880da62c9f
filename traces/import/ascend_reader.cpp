#include "traces/import/ascend_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <set>
#include <tuple>

#include "sim/core/error.h"
#include "sim/core/progress.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Finds kernels that a table lists twice: those of an operator with varying shapes ("…_varlen") appear
// again under another name, with the same type, start and duration. Remembers only the last ones.
class RepeatedKernels {
 public:
  bool add(const KernelRow& row) {
    constexpr std::size_t kMost = 4096;
    if (!row.start || !row.time || *row.time == Duration::zero()) return false;
    const Key key{*row.start, *row.time, row.type.empty() ? row.name : row.type};
    if (!known_.insert(key).second) return true;
    order_.push_back(key);
    if (order_.size() <= kMost) return false;
    known_.erase(order_.front());
    order_.pop_front();
    return false;
  }

 private:
  using Key = std::tuple<Duration, Duration, std::string>;
  std::set<Key> known_;
  std::deque<Key> order_;
};

class AscendReader {
 public:
  AscendReader(AscendSink& to, std::vector<std::string>& notes) : to_(to), notes_(notes) {}

  void read(const ProfiledHome& home) {
    to_.begin_rank(home);
    rank_ = home.rank;
    const fs::path folder = home.tables.front().parent_path();
    std::error_code error;
    const fs::path exchanges = folder / "communication.json", steps = folder / "step_trace_time.csv",
                   time_line = folder / "trace_view.json";
    const bool has_exchanges = fs::is_regular_file(exchanges, error);
    for (const fs::path& table : home.tables) read_kernels(table, !has_exchanges);
    if (fs::is_regular_file(steps, error)) read_steps(steps);
    if (has_exchanges) read_exchanges(exchanges);
    to_.end_rank(home);
    if (!to_.wanted_arguments().empty() && origin_ && fs::is_regular_file(time_line, error))
      read_time_line(time_line);
  }

  ProfiledClocks clocks(const std::vector<ProfiledHome>& homes) const {
    std::vector<std::uint32_t> ranks;
    for (const ProfiledHome& home : homes) ranks.push_back(home.rank);
    return meetings_.clocks(ranks);
  }

 private:
  void read_kernels(const fs::path& path, bool collectives_too) {
    KernelRows rows(path, origin_);
    to_.table(rows);
    std::size_t unfinished = 0, repeated = 0;
    RepeatedKernels known;
    while (rows.next()) {
      const KernelRow& row = rows.row();
      if (!row.time) {
        ++unfinished;
        to_.unfinished(rank_, row);
        continue;
      }
      if (known.add(row)) {
        ++repeated;
        continue;
      }
      to_.kernel(rank_, row, rows.line());
      if (collectives_too && row.is_collective() && row.start) add_collective(row, rows.line());
    }
    if (unfinished > 0)
      notes_.push_back(
          fmt::format("{}: {} kernels without a duration are left out", rows.name(), unfinished));
    if (repeated > 0)
      notes_.push_back(
          fmt::format("{}: {} rows repeat a kernel of the same type, start and duration, and count once",
                      rows.name(), repeated));
  }

  // Adds a collective. Its row does not say how long the rank waited for others.
  void add_collective(const KernelRow& row, std::size_t line) {
    const std::string step = row.step ? fmt::format("step{}", *row.step) : "";
    SeenExchange seen{step, row.name, true, row.start, *row.time, *row.time};
    seen.line = line;
    exchange(seen);
  }

  void exchange(const SeenExchange& seen) {
    if (seen.start && seen.collective)
      meetings_.add(rank_, fmt::format("{}/{}", seen.step, seen.name), microseconds(*seen.start),
                    microseconds(*seen.start + seen.elapsed));
    to_.exchange(rank_, seen);
  }

  void read_exchanges(const fs::path& file) {
    ExchangeSink sink;
    sink.exchange = [&](SeenExchange seen, double start_us) {
      constexpr double kLongest = 1e12;  // us, of a profile
      if (start_us >= 0 && !origin_) origin_ = std::llround(start_us);
      const double start = start_us - static_cast<double>(origin_.value_or(0));
      if (start_us >= 0 && std::abs(start) <= kLongest) seen.start = from_microseconds(start);
      exchange(seen);
    };
    sink.packets = [&](std::uint64_t bytes, double count, Duration total) {
      to_.packets(rank_, bytes, count, total);
    };
    read_communication(file, sink);
  }

  void read_steps(const fs::path& path) {
    constexpr double kLongest = 1e12;  // microseconds
    ProfiledTable table(path);
    const auto computing = table.needed({"Computing"}), communication = table.needed({"Communication"}),
               exposed = table.needed({"Communication(Not Overlapped)"}), free = table.needed({"Free"});
    TimeSplit sum;
    const auto time = [&](std::size_t column) {
      return from_microseconds(table.number(column, 0, kLongest).value_or(0));
    };
    for (std::size_t steps = 0; table.next(); ++steps) {
      if (steps > 1'000'000)
        throw InputError(table.name() + ": more than a million steps: is this a profile?");
      sum.computing += time(computing);
      sum.communication += time(communication);
      sum.exposed += time(exposed);
      sum.length += time(computing) + time(exposed) + time(free);
      if (sum.length > Duration(std::int64_t{1} << 61))
        throw InputError(table.name() + ": steps of more than 26 days: is this a profile?");
    }
    if (sum.length > Duration::zero()) to_.steps(rank_, sum);
  }

  void read_time_line(const fs::path& file) {
    std::size_t elsewhere = 0;
    each_trace_event(file, to_.wanted_arguments(), [&](const TraceEvent& event) {
      if (event.date.empty() || (event.phase != "X" && event.phase != "C")) return;
      if (const std::optional<Duration> date = date_in(event.date, origin_))
        to_.event(rank_, event, *date);
      else
        ++elsewhere;
    });
    if (elsewhere > 0)
      notes_.push_back(
          fmt::format("{}: {} events are left out: their dates are of another recording than the "
                      "kernels'",
                      file.string(), elsewhere));
  }

  AscendSink& to_;
  std::vector<std::string>& notes_;
  std::uint32_t rank_ = 0;
  std::optional<std::int64_t> origin_;  // microseconds since 1970, of all dates
  Meetings meetings_;
};

}  // namespace

ProfiledClocks read_ascend(const fs::path& path, AscendSink& to, std::vector<std::string>& notes) {
  const std::vector<ProfiledHome> homes = profiled_homes(path, notes);
  if (homes.empty()) throw InputError(path.string() + ": no profile of a rank in it");
  to.begin(homes);
  AscendReader reader(to, notes);
  Progress progress("ranks", homes.size());
  for (const ProfiledHome& home : homes) {
    reader.read(home);
    progress.step();
  }
  return reader.clocks(homes);
}

}  // namespace a3sim
