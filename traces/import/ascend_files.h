#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/import/profile.h"

// The directories that an Ascend profiler leaves, and what ranks exchange. All throw InputError with file and line.
namespace a3sim {

// Collectives that ranks share. A collective ends everywhere at about one time: what the ends differ by, the
// clocks differ by.
class Meetings {
 public:
  // Dates are in microseconds of the rank's own clock; `key` is the same on all ranks. Ranks come one after the other, and
  // of the first one's meetings a few thousand are kept.
  void add(std::uint32_t rank, const std::string& key, double start, double end);
  // How far each rank's clock is ahead of the first one's, from the meetings of all; of one rank, or where nothing is
  // shared, none.
  std::map<std::uint32_t, ClockOffset> clocks(const std::vector<std::uint32_t>& ranks) const;

 private:
  struct Dates {
    double start = 0, end = 0;
  };
  std::map<std::string, std::map<std::uint32_t, Dates>> meetings_;
};

// An exchange between ranks; names are valid during the call alone.
struct SeenExchange {
  std::string_view step, name;    // "step3", with group
  bool collective = false;        // else between two ranks
  std::optional<Duration> start;  // since the profile's first date; none: not said
  Duration elapsed{}, transit{}, waited{};
  std::size_t line =
      0;  // of the table of kernels, which does not tell waiting from transit; 0: of communication.json
  bool tells_waits() const { return line == 0; }
};

// What communication.json says, piece by piece.
struct ExchangeSink {
  // `start_us` is in microseconds since 1970, of the rank's clock; below 0: not said.
  std::function<void(const SeenExchange& seen, double start_us)> exchange;
  std::function<void(std::uint64_t bytes, double count, Duration total)> packets;
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
