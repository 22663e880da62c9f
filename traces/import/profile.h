#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"
#include "traces/trace.h"

namespace a3sim {

// The unit whose times a profile has: kernels, tasks by operator, or tasks by operator and core.
enum class ProfileUnit : std::uint8_t { kKernel, kTask, kCore };
constexpr auto names_of(ProfileUnit) { return std::to_array<std::string_view>({"kernel", "task", "core"}); }

// Returns the name in a profile by core: "GMM1 on AIC 3".
std::string name_on_core(std::string_view op, std::string_view core);
// Returns the core of such a name: "AIC 3".
std::string core_in(std::string_view name);

// All kernels, or all tasks, of one name on one rank; or all its exchanges of one name, or all packets of
// one size.
struct Occurrences {
  std::string type{};  // operator that kernels of this name compute; empty: unknown
  std::uint64_t count = 0;
  Duration total{}, least = Duration::max(), most{};
  Duration waited{};  // before they ran; exchanges: for other ranks
  std::uint64_t hits_known = 0;
  double hits = 0;               // sum of the known L2 hit rates
  std::uint32_t workers = 0;     // the most that ran one of them; 0: unknown
  Duration run{}, arithmetic{};  // of all its workers, if the profile has it
  double hbm_bytes = 0;          // read and written, if the profile has it
  Duration transit{};            // of exchanges: time with some under way

  // Throw InputError if a sum is longer than any profile.
  void add(Duration time, Duration wait);
  void wait(Duration time);
  Occurrences& operator+=(const Occurrences& other);
  Duration mean() const {
    return count ? Duration(total.count() / static_cast<std::int64_t>(count)) : Duration{};
  }
};
using Names = std::map<std::string, Occurrences, std::less<>>;

// A rank's time, as far as it was profiled. It computes while any kernel runs; in a profile of tasks, while
// any task of an AIC runs.
struct TimeSplit {
  Duration length{}, computing{}, communication{};
  Duration exposed{};  // communication without computing
  Duration hidden() const { return communication - exposed; }
};

// A rank's kernels or tasks, on one clock for all ranks with any origin.
struct KernelSpan {
  Duration first{}, last{};
  Duration covered{};  // time with at least one running
};

// The offset of a rank's clock from the first one's, estimated from the ends of collectives that all share.
struct ClockOffset {
  std::size_t meetings = 0;
  Duration median{}, least{}, most{};
  Duration late{};  // mean wait of the others for it at a meeting, on one clock

  // Returns what to subtract from its times; zero if the meetings do not agree on who is ahead.
  Duration offset() const {
    return least > Duration::zero() || most < Duration::zero() ? median : Duration::zero();
  }
};

struct TaskTimes {
  std::uint64_t count = 0;
  Duration total{};
  Duration mean() const {
    return count ? Duration(total.count() / static_cast<std::int64_t>(count)) : Duration{};
  }
};

struct RankProfile {
  Names operators;
  Names exchanges;                               // by name
  std::map<std::uint64_t, Occurrences> packets;  // by size in bytes
  // Times by operator, then by number among its tasks on the rank. Empty if the unit is a kernel.
  std::map<std::string, std::map<std::uint32_t, TaskTimes>, std::less<>> tasks;
  std::optional<TimeSplit> steps;
  std::optional<KernelSpan> span;
  std::optional<ClockOffset> clock;
};

// The sums of a profile, built while it is read, so that its size does not matter.
struct Profile {
  ProfileUnit unit = ProfileUnit::kKernel;
  std::map<std::uint32_t, RankProfile> ranks;
  std::vector<std::string> notes;  // what was left out, and why
  std::size_t entries = 0;         // number of names on all ranks

  // Replace bytes of a name that are no text. Throw InputError if there are more names, or longer ones,
  // than any model has.
  Occurrences& at(std::uint32_t rank, std::string_view name) { return find(ranks[rank].operators, name); }
  Occurrences& exchange(std::uint32_t rank, std::string_view name) {
    return find(ranks[rank].exchanges, name);
  }
  Occurrences& packet(std::uint32_t rank, std::uint64_t bytes);
  // Returns nullptr beyond the most tasks that are kept.
  TaskTimes* task(std::uint32_t rank, std::string_view name, std::uint32_t index);
  // Returns the sums over all ranks.
  Names sum(Names RankProfile::* names) const;
  // Returns the operators of all ranks by type; kernels without a type by name.
  Names by_type() const;

 private:
  Occurrences& find(Names& names, std::string_view name);
  void count_entry(std::size_t length);
  std::size_t tasks_ = 0;
};

// Returns valid UTF-8 without control characters, for terminals and JSON, and without spaces at the ends,
// with which tables pad their cells.
std::string printable(std::string_view name);

// A kind of profile. One file each, registered by name.
class ProfileReader {
 public:
  static constexpr std::string_view kKind = "profile";
  virtual ~ProfileReader() = default;
  virtual bool takes(const std::filesystem::path& path) const = 0;
  // Throws InputError with file and line. Takes little memory, however large the profile is.
  virtual Profile read(const std::filesystem::path& path) const = 0;
};

using ProfileReaders = Registry<ProfileReader>;

// Reads a profile with the reader that accepts it. Throws InputError if none does.
Profile read_profile(const std::filesystem::path& path);

// Returns the profile of a simulated run, by the same definitions.
Profile profile_of(std::span<const TracedPass> passes, ProfileUnit unit);

}  // namespace a3sim
