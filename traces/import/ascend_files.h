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

// The directories that an Ascend profiler writes, and the exchanges of ranks. All throw InputError with
// file and line.
namespace a3sim {

// Estimates clock offsets from collectives that ranks share. A collective ends on all ranks at about one
// time, so that the ends differ by as much as the clocks.
class Meetings {
 public:
  // Times are in microseconds of the rank's own clock; `key` is the same on all ranks. Ranks must come one
  // after the other. Of the first rank's meetings a few thousand are kept.
  void add(std::uint32_t rank, const std::string& key, double start, double end);
  // Returns how far each rank's clock is ahead of the first one's, from meetings of all ranks. Empty for
  // one rank, or if they share no meeting.
  std::map<std::uint32_t, ClockOffset> clocks(const std::vector<std::uint32_t>& ranks) const;

 private:
  struct MeetingTimes {
    double start = 0, end = 0;
  };
  std::map<std::string, std::map<std::uint32_t, MeetingTimes>> meetings_;
};

// An exchange between ranks. Its names are valid only during the call.
struct RecordedExchange {
  std::string_view step, name;    // "step3", with group
  bool collective = false;        // false: between two ranks
  std::optional<Duration> start;  // since the profile's first time; nullopt: unknown
  Duration elapsed{}, transit{}, waited{};
  double bytes = 0;  // 0: unknown
  // False if `waited` is all that neither transfers nor is explained: CANN 8.3 does not split it.
  bool waits_told = true;
  bool transit_told = true;  // false: nothing says how long it transfers
  // Line in the table of kernels, which does not split waiting from transit; 0: from communication.json.
  std::size_t line = 0;
  bool tells_waits() const { return line == 0; }
};

// Receives the content of communication.json, piece by piece.
struct ExchangeSink {
  // `start_us` is in microseconds since 1970, on the rank's clock; below 0: unknown.
  std::function<void(const RecordedExchange& seen, double start_us)> exchange;
  std::function<void(std::uint64_t bytes, double count, Duration total)> packets;
};
void read_communication(const std::filesystem::path& file, const ExchangeSink& to);

// What went from one rank to another in all calls of a kind, as communication_matrix.json sums it up. `step` and `name` are
// valid only during the call.
struct RecordedLink {
  std::string_view step, name;     // "step3", with group
  std::uint32_t from = 0, to = 0;  // numbers in the group in some versions, in the job in others
  std::string transport;           // HCCS, RDMA, SDMA, …; LOCAL from a rank to itself
  double bytes = 0;
  Duration transit{};
};
using LinkSink = std::function<void(const RecordedLink& seen)>;
void read_communication_matrix(const std::filesystem::path& file, const LinkSink& to);

// Returns whether an exchange is of two ranks, by its name: hcom_send, hcom_receive, hcom_batchSendRecv.
bool is_between_two(std::string_view name);

// The tables of kernels of one rank below a directory. Its number is that of profiler_info_{rank}.json,
// else the next one. `notes` say what is left out.
struct ProfiledHome {
  std::filesystem::path home;                 // directory of the rank
  std::vector<std::filesystem::path> tables;  // empty: communication files alone
  std::uint32_t rank = 0;
  std::filesystem::path folder{};    // of its tables
  std::filesystem::path database{};  // an export as SQLite, read where there are no tables; empty: none
};
std::vector<ProfiledHome> profiled_homes(const std::filesystem::path& path, std::vector<std::string>& notes);
// True if there is such a table below the path.
bool is_ascend_profile(const std::filesystem::path& path);

// Returns the name without group, tag and number of the call: hcom_allReduce for
// "hcom_allReduce__483_1@group". If the tag is no number, as in profiles of simulated runs, returns the
// tag: GMM1 for "hcom_alltoallv__GMM1_0@group".
std::string exchange_of(std::string_view name);

}  // namespace a3sim
