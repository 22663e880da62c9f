#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/import/measured.h"

// The files of an Ascend profiler's directory that are read, each of one rank. Columns and keys are found by
// name: some were renamed, and some come and go. All throw InputError with file and line.
namespace a3sim {

// Collectives that ranks share. A collective ends everywhere at about one time: what the ends differ by, the
// clocks differ by.
class Meetings {
 public:
  // In microseconds of the rank's own clock; `key` is the same on all ranks. Ranks come one after the other, and
  // of the first one's meetings a few thousand are kept.
  void add(std::uint32_t rank, const std::string& key, double start, double end);
  // By each rank against the first, from the meetings of all; removes the offsets from the ranks' dates. Of one
  // rank, or where nothing is shared, nothing changes.
  void align(Measured& profile) const;

 private:
  struct Dates {
    double start = 0, end = 0;
  };
  std::map<std::string, std::map<std::uint32_t, Dates>> meetings_;
};

// kernel_details.csv, or op_summary_*.csv of msprof: kernels. `origin` is the date, in whole microseconds, that a
// profile's dates are told from: that of its first kernel.
void read_kernels(const std::filesystem::path& table, std::uint32_t rank, std::optional<std::int64_t>& origin,
                  Measured& to);
// step_trace_time.csv: how a rank's time is split, over all of its steps.
void read_steps(const std::filesystem::path& table, std::uint32_t rank, Measured& to);
// communication.json: what is exchanged, how long that was under way, bandwidth by size.
void read_communication(const std::filesystem::path& file, std::uint32_t rank, Measured& to,
                        Meetings& meetings);

// What it says of one exchange; names are valid during the call alone.
struct SeenExchange {
  std::string_view step, name;       // "step3", with group
  bool collective = false;           // else between two ranks
  double start_us = -1, elapsed_us;  // start: of the rank's clock; below 0: not said
  Duration elapsed{}, transit{}, waited{};
};
struct ExchangeSink {
  std::function<void(const SeenExchange&)> exchange;
  std::function<void(std::uint64_t bytes, double count, Duration total)> packets;  // may be empty
};
void read_communication(const std::filesystem::path& file, const ExchangeSink& to);

// Tables of kernels below a directory by rank: a rank is what profiler_info_{rank}.json says, else the next number.
// What is left out is told in `notes`.
struct ProfiledHome {
  std::filesystem::path home;  // a rank's directory
  std::vector<std::filesystem::path> tables;
  std::uint32_t rank = 0;
};
std::vector<ProfiledHome> profiled_homes(const std::filesystem::path& path, std::vector<std::string>& notes);
// Whether there is any such table.
bool is_ascend_profile(const std::filesystem::path& path);

// Without group, tag and number of the call: hcom_allReduce of "hcom_allReduce__483_1@group". Of a tag that is no
// number, as in profiles of simulated runs, the tag: GMM1 of "hcom_alltoallv__GMM1_0@group".
std::string exchange_of(std::string_view name);

}  // namespace a3sim
