#include "traces/import/ascend_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <deque>
#include <set>
#include <tuple>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "traces/import/parallel_groups.h"
#include "traces/import/profile_database.h"

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
    told_.clear();
    buffered_.clear();
    const fs::path exchanges = home.folder / "communication.json",
                   matrix = home.folder / "communication_matrix.json",
                   steps = home.folder / "step_trace_time.csv", time_line = home.folder / "trace_view.json",
                   metadata = home.home / "profiler_metadata.json", analysis = home.folder / "analysis.db";
    for (const fs::path& table : home.tables) {
      KernelRows rows(table, origin_);
      read_kernels(rows);
    }
    std::optional<ProfileDatabase> database;
    if (!home.database.empty()) database.emplace(home.database, origin_);
    if (database) read_database(*database);
    if (is_file(metadata)) tolerate([&] { read_groups(metadata); });
    if (is_file(steps)) read_steps(steps);
    if (is_file(exchanges)) tolerate([&] { read_exchanges(exchanges); });
    if (home.tables.empty() && is_file(analysis))
      read_analysis(analysis, !is_file(exchanges), !is_file(steps));
    add_untold();
    if (is_file(matrix))
      tolerate([&] {
        read_communication_matrix(matrix, [&](const RecordedLink& seen) { to_.link(rank_, seen); });
      });
    to_.end_rank(home);
    if (to_.wanted_arguments().empty() || !origin_) return;
    if (is_file(time_line))
      tolerate([&] { read_time_line(time_line); });
    else if (database)
      database->each_call([&](const TraceEvent& event, Duration time) { to_.event(rank_, event, time); });
  }

  ProfiledClocks clocks(const std::vector<ProfiledHome>& homes) const {
    std::vector<std::uint32_t> ranks;
    for (const ProfiledHome& home : homes) ranks.push_back(home.rank);
    return meetings_.clocks(ranks);
  }

 private:
  // A collective of a table of kernels, which does not say how long the rank waited for others.
  struct Buffered {
    std::optional<std::uint64_t> step;
    std::string name, group;
    Duration start{}, time{};
    std::size_t line = 0;
  };

  static bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
  }

  // Keeps what could be read of a file that ends early.
  template <class Read>
  void tolerate(const Read& read) {
    try {
      read();
    } catch (const InputError& error) {
      notes_.push_back(fmt::format("{}: the rest of it is left out", error.what()));
    }
  }

  template <class Rows>
  void read_kernels(Rows& rows) {
    to_.table(rows.name(), rows.columns());
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
      if (row.is_collective() && row.start)
        buffer({row.step, row.name, "", *row.start, *row.time, rows.line()});
    }
    if (unfinished > 0)
      notes_.push_back(
          fmt::format("{}: {} kernels without a duration are left out", rows.name(), unfinished));
    if (repeated > 0)
      notes_.push_back(
          fmt::format("{}: {} rows repeat a kernel of the same type, start and duration, and count once",
                      rows.name(), repeated));
    tell_damaged(rows.name(), rows.damaged(), rows.damage());
  }

  void tell_damaged(const std::string& table, std::size_t rows, const std::string& first) {
    if (rows > 0)
      notes_.push_back(fmt::format("{}: {} damaged row{} left out, the first: {}", table, rows,
                                   rows == 1 ? " is" : "s are", first));
  }

  void buffer(Buffered collective) {
    constexpr std::size_t kMost = 1'000'000;
    if (buffered_.size() == kMost)
      throw InputError(fmt::format("more than {} collectives of a rank: profile fewer steps", kMost));
    buffered_.push_back(std::move(collective));
  }

  // Adds the collectives of which communication.json says nothing.
  void add_untold() {
    for (const Buffered& row : buffered_) {
      const std::string step = row.step ? fmt::format("step{}", *row.step) : "";
      if (told_.contains({step, row.name}) || (!row.step && told_.contains({"step", row.name}))) continue;
      const std::string name = row.group.empty() ? row.name : fmt::format("{}@{}", row.name, row.group);
      RecordedExchange seen{step, name, !is_between_two(row.name), row.start, row.time, row.time};
      seen.line = row.line;
      seen.waits_told = false;
      exchange(seen);
    }
  }

  void read_database(ProfileDatabase& database) {
    read_kernels(database);
    database.each_exchange([&](const DatabaseExchange& seen) {
      buffer({seen.step, seen.name, seen.group, seen.start, seen.time, 1});
    });
  }

  void read_analysis(const fs::path& file, bool exchanges, bool steps) {
    if (exchanges) read_analysed_exchanges(file, exchange_sink());
    if (steps) read_analysed_steps(file, [&](const ToldStep& told) { to_.step_time(rank_, told); });
  }

  // Reads {"parallel_group_info": {id: {"group_name": use, "global_ranks": [rank]}}}.
  void read_groups(const fs::path& file) {
    read_parallel_groups(file, [&](const std::string& name, const std::string& use,
                                   std::span<const std::uint32_t> ranks) { to_.group(name, use, ranks); });
  }

  void exchange(const RecordedExchange& seen) {
    if (seen.start && seen.collective)
      meetings_.add(rank_, fmt::format("{}/{}", seen.step, seen.name), microseconds(*seen.start),
                    microseconds(*seen.start + seen.elapsed));
    to_.exchange(rank_, seen);
  }

  ExchangeSink exchange_sink() {
    ExchangeSink sink;
    sink.exchange = [&](RecordedExchange seen, double start_us) {
      constexpr double kLongest = 1e12;  // us, of a profile
      if (start_us >= 0 && !origin_) origin_ = std::llround(start_us);
      const double start = start_us - static_cast<double>(origin_.value_or(0));
      if (start_us >= 0 && std::abs(start) <= kLongest) seen.start = from_microseconds(start);
      const std::string name(seen.name.substr(0, seen.name.find('@')));
      told_.emplace(seen.step, name);
      told_.emplace("step", name);
      exchange(seen);
    };
    sink.packets = [&](std::uint64_t bytes, double count, Duration total) {
      to_.packets(rank_, bytes, count, total);
    };
    return sink;
  }

  void read_exchanges(const fs::path& file) { read_communication(file, exchange_sink()); }

  void read_steps(const fs::path& path) {
    constexpr double kLongest = 1e12;  // microseconds
    ProfiledTable table(path);
    const auto number = table.place({"Step"});
    const auto computing = table.needed({"Computing"}), communication = table.needed({"Communication"}),
               exposed = table.needed({"Communication(Not Overlapped)"}), free = table.needed({"Free"});
    const auto clock = table.place({"AIC Clock(MHz)"});
    const auto time = [&](std::size_t column) {
      return from_microseconds(table.number(column, 0, kLongest).value_or(0));
    };
    constexpr double kFastest = 1e6;  // MHz
    Duration sum{};
    std::size_t steps = 0, damaged = 0;
    std::string damage;
    const auto read_row = [&] {
      if (!table.next()) return false;
      if (++steps > 1'000'000)
        throw InputError(table.name() + ": more than a million steps: is this a profile?");
      const ToldStep told{step_number(table, number),
                          time(computing),
                          time(communication),
                          time(exposed),
                          time(free),
                          table.line(),
                          table.number(clock, 0, kFastest).value_or(0)};
      sum += told.computing + told.exposed + told.free;
      if (sum > Duration(std::int64_t{1} << 61))
        throw InputError(table.name() + ": steps of more than 26 days: is this a profile?");
      if (told.computing + told.exposed + told.free > Duration::zero()) to_.step_time(rank_, told);
      return true;
    };
    for (bool more = true; more;) {
      try {
        more = read_row();
      } catch (const DamagedRow& error) {
        if (damaged++ == 0) damage = error.what();
      }
    }
    tell_damaged(table.name(), damaged, damage);
  }

  // Profilers write 5 or 5.0, or nothing for a profile without steps.
  static std::optional<std::uint64_t> step_number(const ProfiledTable& table, ProfiledTable::Place column) {
    if (!column || table.text(*column).empty()) return {};
    double number = 0;
    const std::string& text = table.text(*column);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || !(number >= 0 && number < 1e15)) return {};
    return static_cast<std::uint64_t>(number);
  }

  void read_time_line(const fs::path& file) {
    std::size_t elsewhere = 0;
    each_trace_event(file, to_.wanted_arguments(), [&](const TraceEvent& event) {
      if (event.timestamp.empty() || (event.phase != "X" && event.phase != "C")) return;
      if (const std::optional<Duration> time = time_in(event.timestamp, origin_))
        to_.event(rank_, event, *time);
      else
        ++elsewhere;
    });
    if (elsewhere > 0)
      notes_.push_back(
          fmt::format("{}: {} events are left out: their times are of another recording than the "
                      "kernels'",
                      file.string(), elsewhere));
  }

  AscendSink& to_;
  std::vector<std::string>& notes_;
  std::uint32_t rank_ = 0;
  std::optional<std::int64_t> origin_;  // microseconds since 1970, of all times
  Meetings meetings_;
  // Of the rank that is being read: exchanges of communication.json by step and name, and those of its tables.
  std::set<std::pair<std::string, std::string>> told_;
  std::vector<Buffered> buffered_;
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
