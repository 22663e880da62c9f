#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "traces/import/ascend_files.h"
#include "traces/import/kernel_rows.h"
#include "traces/import/rank_time.h"

// What torch_npu's and MindSpore's profilers write: kernel_details.csv, or op_summary_*.csv of msprof, of one rank
// or of a directory of ranks, and what lies beside it.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 6;  // folders below the one that is named
constexpr std::size_t kMostFiles = 100'000;

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

// What lies beside a table of kernels and says more of its rank.
void read_beside(const fs::path& table, std::uint32_t rank, Measured& to, Meetings& meetings) {
  const fs::path folder = table.parent_path();
  std::error_code error;
  if (const fs::path steps = folder / "step_trace_time.csv"; fs::is_regular_file(steps, error))
    read_steps(steps, rank, to);
  if (const fs::path sent = folder / "communication.json"; fs::is_regular_file(sent, error))
    read_communication(sent, rank, to, meetings);
}

class AscendProfile final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override { return is_ascend_profile(path); }

  Measured read(const fs::path& path) const override {
    Measured to;
    const std::vector<ProfiledHome> homes = profiled_homes(path, to.notes);
    std::optional<std::int64_t> origin;
    Meetings meetings;
    Progress progress("ranks", homes.size());
    for (const ProfiledHome& home : homes) {
      for (const fs::path& table : home.tables) read_kernels(table, home.rank, origin, to);
      // How slices of one table follow each other is not known.
      if (home.tables.size() > 1 && to.ranks.contains(home.rank)) to.ranks[home.rank].span.reset();
      read_beside(home.tables.front(), home.rank, to, meetings);
      progress.step();
    }
    meetings.align(to);
    return to;
  }
};

A3SIM_REGISTER(
    ProfileReader, "ascend",
    "an Ascend profiler's directory (*_ascend_pt, *_ascend_ms), several of them, or its kernel_details.csv",
    AscendProfile);

}  // namespace

bool is_ascend_profile(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? !tables_below(path).empty() : is_table(path);
}

std::vector<ProfiledHome> profiled_homes(const fs::path& path, std::vector<std::string>& notes) {
  std::error_code error;
  const std::vector<fs::path> tables =
      fs::is_directory(path, error) ? tables_below(path) : std::vector<fs::path>{path};
  std::map<fs::path, std::vector<fs::path>> homes;
  for (const fs::path& table : tables) homes[home_of(table)].push_back(table);
  std::set<std::uint32_t> taken;
  std::vector<ProfiledHome> ranks;
  for (const auto& [home, own] : homes) {
    const std::optional<std::uint32_t> rank = declared_rank(home);
    if (rank && !taken.insert(*rank).second)
      notes.push_back(fmt::format("{}: left out: rank {} is another directory's too", home.string(), *rank));
    else if (rank)
      ranks.push_back({home, own, *rank});
  }
  // Those that say no rank have the numbers that are left.
  std::uint32_t next = 0;
  for (const auto& [home, own] : homes) {
    if (declared_rank(home)) continue;
    while (taken.contains(next)) ++next;
    ranks.push_back({home, own, next++});
  }
  std::ranges::sort(ranks, {}, &ProfiledHome::rank);
  // msprof's own tables beside the profiler's say the same again; alone, they are slices of one.
  for (ProfiledHome& home : ranks)
    if (std::ranges::any_of(home.tables, is_details))
      std::erase_if(home.tables, [](const fs::path& table) { return !is_details(table); });
  return ranks;
}

void read_kernels(const fs::path& table, std::uint32_t rank, std::optional<std::int64_t>& origin,
                  Measured& to) {
  KernelRows rows(table, origin);
  KernelOrder order;
  std::size_t dropped = 0;
  bool undated = false;
  while (rows.next()) {
    const KernelRow& row = rows.row();
    if (!row.time) {
      ++dropped;
      continue;
    }
    Occurrences& of = to.at(rank, row.name.starts_with("hcom_") ? exchange_of(row.name) : row.name);
    of.add(*row.time, row.wait);
    of.workers = std::max(of.workers, row.blocks);
    for (std::size_t core = 0; core < row.run.size(); ++core) {
      of.run += row.run[core];
      of.arithmetic += row.arithmetic[core];
    }
    of.hbm_bytes += row.hbm_bytes;
    undated = undated || !row.start;
    if (row.start) order.add(*row.start, *row.start + *row.time);
    if (!row.hit_rate) continue;
    of.hits += *row.hit_rate;
    ++of.hits_known;
  }
  if (dropped > 0)
    to.notes.push_back(fmt::format("{}: {} kernels without a duration are left out", rows.name(), dropped));
  if (!order.ordered())
    to.notes.push_back(fmt::format(
        "{}: kernels are not in the order of their starts: their gaps are not known", rows.name()));
  if (const std::optional<MeasuredSpan> span = order.span(); span && !undated) to.ranks[rank].span = span;
}

void read_steps(const fs::path& path, std::uint32_t rank, Measured& to) {
  constexpr double kLongest = 1e12;  // microseconds
  ProfiledTable table(path);
  const auto computing = table.needed({"Computing"}), communication = table.needed({"Communication"}),
             exposed = table.needed({"Communication(Not Overlapped)"}), free = table.needed({"Free"});
  MeasuredSteps sum;
  const auto time = [&](std::size_t column) {
    return from_microseconds(table.number(column, 0, kLongest).value_or(0));
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
