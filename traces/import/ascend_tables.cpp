#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/core/error.h"
#include "traces/import/ascend_files.h"
#include "traces/import/rank_time.h"
#include "traces/import/text_source.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr double kMostMicroseconds = 1e9;  // of one kernel

Duration from_us(double microseconds) { return Duration(std::llround(microseconds * 1e6)); }

// A table of comma-separated values, line by line.
class ProfiledTable {
 public:
  explicit ProfiledTable(const fs::path& path) : lines_(path) {
    if (!lines_.next(heads_)) throw InputError(name() + ": is empty, a header expected");
    if (!heads_.empty() && heads_[0].starts_with("\xef\xbb\xbf")) heads_[0].erase(0, 3);
  }
  const std::string& name() const { return lines_.name(); }

  using Place = std::optional<std::size_t>;
  // Of the first of these columns that is there.
  Place place(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(heads_, name);
      if (found != heads_.end()) return static_cast<std::size_t>(found - heads_.begin());
    }
    return {};
  }
  std::size_t needed(std::initializer_list<std::string_view> names) const {
    if (const Place at = place(names)) return *at;
    throw InputError(fmt::format("{}:1: no column '{}'", name(), fmt::join(names, "' or '")));
  }

  bool next() {
    if (!lines_.next(cells_)) return false;
    if (cells_.size() != heads_.size())
      throw InputError(fmt::format("{}:{}: {} cells, expected {} as in the header: was the file cut off?",
                                   name(), lines_.line(), cells_.size(), heads_.size()));
    return true;
  }
  const std::string& text(std::size_t column) const { return cells_[column]; }
  // Nothing for N/A or no column; throws for what is neither that nor a number in these bounds.
  std::optional<double> number(Place column, double least, double most) const {
    if (!column || absent(*column)) return {};
    const std::string& text = cells_[*column];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least) || value > most)
      fail(*column, fmt::format("a number from {} to {}", least, most));
    return value;
  }
  // A date since `origin`, which the first date sets: in microseconds since 1970, more than a double holds. Nothing
  // for one that is years from the others: of another clock.
  std::optional<Duration> date(Place column, std::optional<std::int64_t>& origin) const {
    if (!column || absent(*column)) return {};
    const std::string& text = cells_[*column];
    constexpr std::int64_t kLongest = 1'000'000'000'000;  // of a profile: twelve days
    std::int64_t whole = 0;
    const char* last = text.data() + text.size();
    const auto [point, error] = std::from_chars(text.data(), last, whole);
    double part = 0;
    const bool good = error == std::errc{} && whole >= 0 &&
                      (point == last || (*point == '.' && std::from_chars(point, last, part).ptr == last));
    if (!good) fail(*column, "a date in microseconds");
    if (!origin) origin = whole;
    if (whole - *origin > kLongest || *origin - whole > kLongest) return {};
    return Duration((whole - *origin) * 1'000'000) + from_us(part);
  }

 private:
  bool absent(std::size_t column) const { return cells_[column].empty() || cells_[column] == "N/A"; }
  [[noreturn]] void fail(std::size_t column, const std::string& expected) const {
    throw InputError(fmt::format("{}:{}: {}: '{}', expected {}", name(), lines_.line(), heads_[column],
                                 cells_[column], expected));
  }

  CsvLines lines_;
  std::vector<std::string> heads_, cells_;
};

class KernelTable {
 public:
  KernelTable(const fs::path& path, std::uint32_t rank, std::optional<std::int64_t>& origin, Measured& to)
      : table_(path), rank_(rank), origin_(origin), to_(to) {
    name_ = table_.needed({"Name", "Op Name"});
    time_ = table_.needed({"Duration(us)", "Task Duration(us)"});
    start_ = table_.place({"Start Time(us)", "Task Start Time(us)"});
    wait_ = table_.place({"Wait Time(us)", "Task Wait Time(us)"});
    blocks_ = table_.place({"Block Num", "Block Dim"});
    mixed_ = table_.place({"Mix Block Num", "Mix Block Dim"});
    hit_ = table_.place({"sim_l2_hit(%)"});
    for (const std::string_view core : {"aic", "aiv"}) {
      run_.push_back(core == "aic" ? table_.place({"aicore_time(us)", "aic_time(us)"})
                                   : table_.place({"aiv_time(us)"}));
      work_.push_back(core == "aic" ? table_.place({"aic_mac_time(us)"})
                                    : table_.place({"aiv_vec_time(us)"}));
      for (const std::string_view way : {"read", "write"})
        moved_.push_back(table_.place({fmt::format("{}_{}_main_memory_datas(KB)", core, way)}));
      for (const std::string_view port : {"r0", "r1"}) {
        const auto hits = table_.place({fmt::format("{}_{}_read_cache_hit", core, port)});
        const auto misses = table_.place({fmt::format("{}_{}_read_cache_miss_allocate", core, port)});
        if (hits && misses) counted_.emplace_back(hits, misses);
      }
    }
  }

  void read() {
    while (table_.next()) add_kernel();
    if (dropped_ > 0)
      to_.notes.push_back(
          fmt::format("{}: {} kernels without a duration are left out", table_.name(), dropped_));
    if (!order_.ordered())
      to_.notes.push_back(fmt::format(
          "{}: kernels are not in the order of their starts: their gaps are not known", table_.name()));
    if (const std::optional<MeasuredSpan> span = order_.span(); span && !undated_)
      to_.ranks[rank_].span = span;
  }

 private:
  void add_kernel() {
    const std::optional<double> time = table_.number(time_, 0, kMostMicroseconds);
    if (!time) {
      ++dropped_;
      return;
    }
    const std::string& name = table_.text(name_);
    Occurrences& of = to_.at(rank_, name.starts_with("hcom_") ? exchange_of(name) : name);
    // A kernel that began before the one before it had ended has a negative wait.
    const double wait = table_.number(wait_, -kMostMicroseconds, kMostMicroseconds).value_or(0);
    of.add(from_us(*time), from_us(std::max(0.0, wait)));
    add_cores(of);
    if (const std::optional<Duration> start = table_.date(start_, origin_))
      order_.add(*start, *start + from_us(*time));
    else
      undated_ = true;
    if (const std::optional<double> hit = hit_rate()) {
      of.hits += *hit;
      ++of.hits_known;
    }
  }

  // Times are means over the cores that ran the kernel's blocks; of a mixed one, AIV run blocks of their own.
  void add_cores(Occurrences& of) const {
    constexpr double kMostBlocks = 1e5, kMostKilobytes = 1e15;
    const double blocks = table_.number(blocks_, 0, kMostBlocks).value_or(0);
    const double mixed = table_.number(mixed_, 0, kMostBlocks).value_or(0);
    of.workers = std::max(of.workers, static_cast<std::uint32_t>(blocks));
    for (std::size_t core = 0; core < run_.size(); ++core) {
      const double on = core == 1 && mixed > 0 ? mixed : blocks;
      of.run += from_us(on * table_.number(run_[core], 0, kMostMicroseconds).value_or(0));
      of.arithmetic += from_us(on * table_.number(work_[core], 0, kMostMicroseconds).value_or(0));
    }
    for (const ProfiledTable::Place& moved : moved_)
      of.hbm_bytes += 1024 * table_.number(moved, 0, kMostKilobytes).value_or(0);
  }

  // Of what is read: as a simulated profile says it, or from the counters of the group L2Cache.
  std::optional<double> hit_rate() const {
    if (hit_) {
      const std::optional<double> percent = table_.number(hit_, 0, 100);
      return percent ? std::optional(*percent / 100) : std::nullopt;
    }
    constexpr double kMostRequests = 1e18;
    double hits = 0, reads = 0;
    for (const auto& [hit, miss] : counted_) {
      const double found = table_.number(hit, 0, kMostRequests).value_or(0);
      hits += found;
      reads += found + table_.number(miss, 0, kMostRequests).value_or(0);
    }
    return reads > 0 ? std::optional(hits / reads) : std::nullopt;
  }

  ProfiledTable table_;
  std::uint32_t rank_;
  std::optional<std::int64_t>& origin_;
  Measured& to_;
  std::size_t name_ = 0, time_ = 0, dropped_ = 0;
  ProfiledTable::Place start_, wait_, blocks_, mixed_, hit_;
  std::vector<ProfiledTable::Place> run_, work_, moved_;                        // of AIC, then of AIV
  std::vector<std::pair<ProfiledTable::Place, ProfiledTable::Place>> counted_;  // reads that hit, and missed
  KernelOrder order_;
  bool undated_ = false;
};

}  // namespace

void read_kernels(const fs::path& table, std::uint32_t rank, std::optional<std::int64_t>& origin,
                  Measured& to) {
  KernelTable(table, rank, origin, to).read();
}

void read_steps(const fs::path& path, std::uint32_t rank, Measured& to) {
  constexpr double kLongest = 1e12;  // microseconds
  ProfiledTable table(path);
  const auto computing = table.needed({"Computing"}), communication = table.needed({"Communication"}),
             exposed = table.needed({"Communication(Not Overlapped)"}), free = table.needed({"Free"});
  MeasuredSteps sum;
  const auto time = [&](std::size_t column) {
    return from_us(table.number(column, 0, kLongest).value_or(0));
  };
  for (std::size_t steps = 0; table.next(); ++steps) {
    if (steps > 1'000'000) throw InputError(table.name() + ": more than a million steps: is this a profile?");
    sum.computing += time(computing);
    sum.communication += time(communication);
    sum.exposed += time(exposed);
    sum.length += time(computing) + time(exposed) + time(free);
    if (sum.length > Duration(std::int64_t{1} << 61))
      throw InputError(table.name() + ": steps of more than 26 days: is this a profile?");
  }
  if (sum.length > Duration::zero()) to.ranks[rank].steps = sum;
}

}  // namespace a3sim
