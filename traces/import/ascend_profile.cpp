#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "sim/core/error.h"
#include "traces/import/ascend_reader.h"
#include "traces/import/rank_time.h"

// Reads what the profilers of torch_npu and MindSpore write: kernel_details.csv, or op_summary_*.csv of
// msprof, of one rank or a directory of ranks, and the files beside it.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 6;  // folders below the named one
constexpr std::size_t kMostFiles = 100'000;

bool is_table(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "kernel_details.csv" || (name.starts_with("op_summary") && name.ends_with(".csv"));
}

bool is_database(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".db") &&
         (name.starts_with("ascend_pytorch_profiler") || name.starts_with("ascend_mindspore_profiler") ||
          name.starts_with("msprof_"));
}

// Returns whether a file alone makes its directory that of a rank: communication without kernels counts.
bool is_part(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "communication.json" || name == "step_trace_time.csv" || name == "analysis.db";
}

// Returns the tables below a directory, sorted. Does not follow links to directories.
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
    const fs::path& file = entry->path();
    if (is_table(file) || is_database(file) || is_part(file)) tables.push_back(file);
  }
  std::ranges::sort(tables);
  return tables;
}

bool is_details(const fs::path& table) { return table.filename() == "kernel_details.csv"; }

// Returns the rank that profiler_info_{rank}.json in a directory declares.
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

// Returns the same, or else the rank of the name ascend_pytorch_profiler_{rank}.db among its files.
std::optional<std::uint32_t> declared_rank(const fs::path& directory, const std::vector<fs::path>& files) {
  if (const auto rank = declared_rank(directory)) return rank;
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    const std::size_t number = name.rfind("profiler_");
    if (!is_database(file) || number == std::string::npos) continue;
    std::uint32_t rank = 0;
    const char *begin = name.data() + number + std::string_view("profiler_").size(),
               *end = name.data() + name.size();
    const auto read = std::from_chars(begin, end, rank);
    if (read.ec == std::errc{} && read.ptr == end) return rank;
  }
  return {};
}

// Returns the directory of a rank: the nearest one above a table that a profiler made for a rank, or else
// the table's own.
fs::path home_of(const fs::path& table) {
  fs::path folder = fs::absolute(table).lexically_normal().parent_path();
  for (int up = 0; up < kDeepest && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms") || declared_rank(folder)) return folder;
  }
  return fs::absolute(table).lexically_normal().parent_path();
}

// Sums up a profile while it is read.
class AscendSums final : public AscendSink {
 public:
  Profile read(const fs::path& path) {
    const ProfiledClocks clocks = read_ascend(path, *this, to_.notes);
    for (const auto& [rank, clock] : clocks) {
      if (!to_.ranks.contains(rank)) continue;
      RankProfile& profile = to_.ranks[rank];
      profile.clock = clock;
      if (!profile.span) continue;
      profile.span->first -= clock.offset();
      profile.span->last -= clock.offset();
    }
    return std::move(to_);
  }

 private:
  struct Table {
    std::string name;
    KernelOrder order;
    RankTime time;
    bool lacks_starts = false, collectives = false;
  };

  void begin_rank(const ProfiledHome&) override { tables_.clear(); }
  void table(const std::string& name, const KernelColumns&) override { tables_.emplace_back().name = name; }
  void unfinished(std::uint32_t, const KernelRow&) override {}

  void kernel(std::uint32_t rank, const KernelRow& row, std::size_t) override {
    const bool collective = row.is_collective();
    const std::string name = collective ? exchange_of(row.name) : row.name;
    Occurrences& occurrences = to_.at(rank, name);
    if (!collective && occurrences.count == 0 && row.type != row.name) occurrences.type = printable(row.type);
    occurrences.add(*row.time, row.wait);
    occurrences.workers = std::max(occurrences.workers, row.workers());
    for (std::size_t core = 0; core < row.run.size(); ++core) {
      occurrences.run += row.run[core];
      occurrences.arithmetic += row.arithmetic[core];
    }
    occurrences.hbm_bytes += row.hbm_bytes;
    if (row.hit_rate) {
      occurrences.hits += *row.hit_rate;
      ++occurrences.hits_known;
    }
    Table& table = tables_.back();
    table.lacks_starts = table.lacks_starts || !row.start;
    if (!row.start) return;
    table.order.add(*row.start, *row.start + *row.time);
    table.time.add(*row.start, *row.start + *row.time, collective, true);
    table.collectives = table.collectives || collective;
  }

  void exchange(std::uint32_t rank, const RecordedExchange& seen) override {
    if (!seen.tells_waits()) return;  // it is among the kernels
    Occurrences& occurrences = to_.exchange(rank, exchange_of(seen.name));
    occurrences.add(seen.elapsed, seen.waited);
    occurrences.transit += seen.transit;
  }

  void packets(std::uint32_t rank, std::uint64_t bytes, double count, Duration total) override {
    Occurrences& occurrences = to_.packet(rank, bytes);
    if (count < 1) return;
    Occurrences more;
    more.count = static_cast<std::uint64_t>(count);
    more.total = total;
    more.least = more.most = more.mean();
    occurrences += more;
  }

  void step_time(std::uint32_t rank, const ToldStep& told) override {
    std::optional<TimeSplit>& steps = to_.ranks[rank].steps;
    if (!steps) steps.emplace();
    steps->computing += told.computing;
    steps->communication += told.communication;
    steps->exposed += told.exposed;
    steps->length += told.computing + told.exposed + told.free;
  }

  void end_rank(const ProfiledHome& home) override {
    for (const Table& table : tables_)
      if (!table.order.ordered())
        to_.notes.push_back(fmt::format(
            "{}: kernels are not in the order of their starts: their gaps are not known", table.name));
    // The order of the slices of a table is unknown.
    if (tables_.size() != 1 || tables_.front().lacks_starts || !to_.ranks.contains(home.rank)) return;
    const Table& table = tables_.front();
    RankProfile& rank = to_.ranks[home.rank];
    rank.span = table.order.span();
    // If the profiler has no sums, those of rows are used, if collectives are among them.
    if (!rank.steps && rank.span && table.collectives) rank.steps = table.time.steps();
  }

  Profile to_;
  std::vector<Table> tables_;  // of the rank that is being read
};

class AscendProfile final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override { return is_ascend_profile(path); }
  Profile read(const fs::path& path) const override { return AscendSums().read(path); }
};

A3SIM_REGISTER(
    ProfileReader, "ascend",
    "an Ascend profiler's directory (*_ascend_pt, *_ascend_ms), several of them, or its kernel_details.csv",
    AscendProfile);

}  // namespace

bool is_ascend_profile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return is_table(path) || is_database(path);
  const std::vector<fs::path> tables = tables_below(path);
  // communication.json alone is a rank's only in a profiler's directory: other programs have files of that name.
  return std::ranges::any_of(tables, [](const fs::path& table) {
    return is_table(table) || is_database(table) ||
           table.parent_path().filename() == "ASCEND_PROFILER_OUTPUT";
  });
}

namespace {

// Sorts a rank's files. Tables of msprof beside the profiler's repeat it; alone, they are slices of one table. A database
// repeats tables, too.
ProfiledHome home_with(const fs::path& home, const std::vector<fs::path>& files, std::uint32_t rank) {
  ProfiledHome made{home, {}, rank};
  for (const fs::path& file : files) {
    if (is_table(file)) made.tables.push_back(file);
    if (is_database(file) && made.database.empty()) made.database = file;
    if (made.folder.empty()) made.folder = file.parent_path();
  }
  if (std::ranges::any_of(made.tables, is_details))
    std::erase_if(made.tables, [](const fs::path& table) { return !is_details(table); });
  if (!made.tables.empty()) {
    made.database.clear();
    made.folder = made.tables.front().parent_path();
  } else if (!made.database.empty()) {
    made.folder = made.database.parent_path();
  }
  // The exchanges of a rank stand beside the profiler's tables, or without any.
  const auto part = std::ranges::find_if(files, is_part);
  if (part != files.end() && made.tables.empty() && made.database.empty()) made.folder = part->parent_path();
  return made;
}

// Returns the digits of <host>_<pid>_<date>_ascend_pt, with their number, so that later ones compare as larger.
std::pair<std::size_t, std::string> date_of(const fs::path& home) {
  std::string name = home.filename().string();
  name = name.substr(0, name.find("_ascend_"));
  const std::string date = name.substr(name.rfind('_') + 1);
  const bool digits = date.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::pair(date.size(), date) : std::pair<std::size_t, std::string>();
}

}  // namespace

std::vector<ProfiledHome> profiled_homes(const fs::path& path, std::vector<std::string>& notes) {
  std::error_code error;
  const std::vector<fs::path> files =
      fs::is_directory(path, error) ? tables_below(path) : std::vector<fs::path>{path};
  std::map<fs::path, std::vector<fs::path>> homes;
  for (const fs::path& file : files) homes[home_of(file)].push_back(file);
  // A rank that was recorded twice counts as it was last: ranks of one run belong together, whatever their processes' numbers.
  std::vector<std::pair<fs::path, std::vector<fs::path>>> latest_first(homes.begin(), homes.end());
  std::ranges::stable_sort(latest_first,
                           [](const auto& a, const auto& b) { return date_of(a.first) > date_of(b.first); });
  std::set<std::uint32_t> taken;
  std::vector<ProfiledHome> ranks;
  for (const auto& [home, own] : latest_first) {
    const std::optional<std::uint32_t> rank = declared_rank(home, own);
    if (rank && !taken.insert(*rank).second)
      notes.push_back(fmt::format("{}: left out: rank {} is another directory's too", home.string(), *rank));
    else if (rank)
      ranks.push_back(home_with(home, own, *rank));
  }
  // Ranks without a number get those that are left.
  std::uint32_t next = 0;
  for (const auto& [home, own] : homes) {
    if (declared_rank(home, own)) continue;
    while (taken.contains(next)) ++next;
    ranks.push_back(home_with(home, own, next++));
  }
  std::ranges::sort(ranks, {}, &ProfiledHome::rank);
  return ranks;
}

}  // namespace a3sim
