#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "sim/core/error.h"
#include "traces/import/measured.h"
#include "traces/import/text_source.h"

// What torch_npu's and MindSpore's profilers write: kernel_details.csv, or op_summary_*.csv of msprof, of one rank
// or of a directory of ranks. Columns are found by name: some were renamed, and some come and go.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 6;  // folders below the one that is named
constexpr std::size_t kMostFiles = 100'000;
constexpr double kMostMicroseconds = 1e9;  // of one kernel

bool is_table(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "kernel_details.csv" || (name.starts_with("op_summary") && name.ends_with(".csv"));
}

// The tables below a directory, sorted; links to directories are not followed.
std::vector<fs::path> tables_below(const fs::path& directory) {
  std::vector<fs::path> tables;
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++seen > kMostFiles)
      throw InputError(fmt::format("{}: more than {} files; name the directory of the profiles",
                                   directory.string(), kMostFiles));
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (is_table(entry->path())) tables.push_back(entry->path());
  }
  std::ranges::sort(tables);
  return tables;
}

bool is_details(const fs::path& table) { return table.filename() == "kernel_details.csv"; }

// The rank that profiler_info_{rank}.json in a directory says.
std::optional<std::uint32_t> declared_rank(const fs::path& directory) {
  constexpr std::string_view kPrefix = "profiler_info_", kEnd = ".json";
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kEnd)) continue;
    std::uint32_t rank = 0;
    const char* end = name.data() + name.size() - kEnd.size();
    const auto read = std::from_chars(name.data() + kPrefix.size(), end, rank);
    if (read.ec == std::errc{} && read.ptr == end) return rank;
  }
  return {};
}

// What one rank has left: the nearest folder above a table that a profiler made for a rank, or the table's own.
fs::path home_of(const fs::path& table) {
  fs::path folder = fs::absolute(table).lexically_normal().parent_path();
  for (int up = 0; up < kDeepest && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms") || declared_rank(folder)) return folder;
  }
  return fs::absolute(table).lexically_normal().parent_path();
}

class Table {
 public:
  Table(const fs::path& path, std::uint32_t rank, Measured& to) : lines_(path), rank_(rank), to_(to) {}
  void read() {
    if (!lines_.next(heads_)) throw InputError(lines_.name() + ": is empty, a header expected");
    if (!heads_.empty() && heads_[0].starts_with("\xef\xbb\xbf")) heads_[0].erase(0, 3);
    name_ = needed({"Name", "Op Name"});
    time_ = needed({"Duration(us)", "Task Duration(us)"});
    wait_ = place({"Wait Time(us)", "Task Wait Time(us)"});
    hit_ = place({"sim_l2_hit(%)"});
    for (const std::string_view core : {"aic", "aiv"}) {
      for (const std::string_view port : {"r0", "r1"}) {
        const auto hits = place({fmt::format("{}_{}_read_cache_hit", core, port)});
        const auto misses = place({fmt::format("{}_{}_read_cache_miss_allocate", core, port)});
        if (hits && misses) counted_.emplace_back(*hits, *misses);
      }
    }
    while (lines_.next(cells_)) add_kernel();
    if (dropped_ > 0)
      to_.notes.push_back(
          fmt::format("{}: {} kernels without a duration are left out", lines_.name(), dropped_));
  }

 private:
  std::optional<std::size_t> place(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(heads_, name);
      if (found != heads_.end()) return static_cast<std::size_t>(found - heads_.begin());
    }
    return {};
  }
  std::size_t needed(std::initializer_list<std::string_view> names) const {
    if (const auto at = place(names)) return *at;
    throw InputError(fmt::format("{}:1: no column '{}'", lines_.name(), fmt::join(names, "' or '")));
  }
  // Nothing for N/A; throws for what is neither that nor a number in these bounds.
  std::optional<double> number(std::size_t column, double least, double most) const {
    const std::string& text = cells_[column];
    if (text.empty() || text == "N/A") return {};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least) || value > most)
      throw InputError(fmt::format("{}:{}: {}: '{}', expected a number from {} to {}", lines_.name(),
                                   lines_.line(), heads_[column], text, least, most));
    return value;
  }
  static Duration duration(double microseconds) { return Duration(std::llround(microseconds * 1e6)); }

  void add_kernel() {
    if (cells_.size() != heads_.size())
      throw InputError(fmt::format("{}:{}: {} cells, expected {} as in the header: was the file cut off?",
                                   lines_.name(), lines_.line(), cells_.size(), heads_.size()));
    const std::optional<double> time = number(time_, 0, kMostMicroseconds);
    if (!time) {
      ++dropped_;
      return;
    }
    Occurrences& of = to_.at(rank_, cells_[name_]);
    // A kernel that began before the one before it had ended has a negative wait.
    const double wait = wait_ ? number(*wait_, -kMostMicroseconds, kMostMicroseconds).value_or(0) : 0;
    of.add(duration(*time), duration(std::max(0.0, wait)));
    if (const std::optional<double> hit = hit_rate()) {
      of.hits += *hit;
      ++of.hits_known;
    }
  }

  // Of what is read: as a simulated profile says it, or from the counters of the group L2Cache.
  std::optional<double> hit_rate() const {
    if (hit_) {
      const std::optional<double> percent = number(*hit_, 0, 100);
      return percent ? std::optional(*percent / 100) : std::nullopt;
    }
    constexpr double kMostRequests = 1e18;
    double hits = 0, reads = 0;
    for (const auto& [hit, miss] : counted_) {
      const double found = number(hit, 0, kMostRequests).value_or(0);
      hits += found;
      reads += found + number(miss, 0, kMostRequests).value_or(0);
    }
    return reads > 0 ? std::optional(hits / reads) : std::nullopt;
  }

  CsvLines lines_;
  std::uint32_t rank_;
  Measured& to_;
  std::vector<std::string> heads_, cells_;
  std::size_t name_ = 0, time_ = 0, dropped_ = 0;
  std::optional<std::size_t> wait_, hit_;
  std::vector<std::pair<std::size_t, std::size_t>> counted_;  // columns of reads that hit, and that missed
};

class AscendProfile final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override {
    std::error_code error;
    return fs::is_directory(path, error) ? !tables_below(path).empty() : is_table(path);
  }

  Measured read(const fs::path& path) const override {
    std::error_code error;
    const std::vector<fs::path> tables =
        fs::is_directory(path, error) ? tables_below(path) : std::vector<fs::path>{path};
    std::map<fs::path, std::vector<fs::path>> homes;
    for (const fs::path& table : tables) homes[home_of(table)].push_back(table);
    Measured to;
    std::set<std::uint32_t> taken;
    std::vector<std::pair<const fs::path*, std::uint32_t>> ranks;
    for (const auto& [home, own] : homes) {
      const std::optional<std::uint32_t> rank = declared_rank(home);
      if (rank && !taken.insert(*rank).second)
        to.notes.push_back(
            fmt::format("{}: left out: rank {} is another directory's too", home.string(), *rank));
      else if (rank)
        ranks.emplace_back(&home, *rank);
    }
    // Those that say no rank have the numbers that are left.
    std::uint32_t next = 0;
    for (const auto& [home, own] : homes) {
      if (declared_rank(home)) continue;
      while (taken.contains(next)) ++next;
      ranks.emplace_back(&home, next++);
    }
    for (const auto& [home, rank] : ranks) {
      std::vector<fs::path>& own = homes[*home];
      // msprof's own tables beside the profiler's say the same again; alone, they are slices of one.
      if (std::ranges::any_of(own, is_details))
        std::erase_if(own, [](const fs::path& t) { return !is_details(t); });
      for (const fs::path& table : own) Table(table, rank, to).read();
    }
    return to;
  }
};

A3SIM_REGISTER(
    ProfileReader, "ascend",
    "an Ascend profiler's directory (*_ascend_pt, *_ascend_ms), several of them, or its kernel_details.csv",
    AscendProfile);

}  // namespace
}  // namespace a3sim
