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

// What a profile has times of.
enum class ProfileUnit : std::uint8_t { kKernel, kTask };
constexpr auto names_of(ProfileUnit) { return std::to_array<std::string_view>({"kernel", "task"}); }

// All kernels, or all tasks, of one name on one rank; all its exchanges with others; all packets of one size.
struct Occurrences {
  std::string type{};  // the operator that kernels of this name compute; empty: not said
  std::uint64_t count = 0;
  Duration total{}, least = Duration::max(), most{};
  Duration waited{};  // before they ran; exchanges: for others
  std::uint64_t hits_known = 0;
  double hits = 0;               // L2 hit rates, summed over those that say one
  std::uint32_t workers = 0;     // that ran one of them, at most; 0 where nothing says
  Duration run{}, arithmetic{};  // of all its workers, where the profile says so
  double hbm_bytes = 0;          // read and written, where the profile says so
  Duration transit{};            // exchanges: while something was under way

  // Throw InputError where a sum is longer than any profile.
  void add(Duration time, Duration wait);
  void wait(Duration time);
  Occurrences& operator+=(const Occurrences& other);
  Duration mean() const {
    return count ? Duration(total.count() / static_cast<std::int64_t>(count)) : Duration{};
  }
};
using Names = std::map<std::string, Occurrences, std::less<>>;

// A rank's time, as far as it was profiled. Kernels: computing is any of them; tasks: any of an AIC's.
struct TimeSplit {
  Duration length{}, computing{}, communication{};
  Duration exposed{};  // communication while nothing computes
  Duration hidden() const { return communication - exposed; }
};

// A rank's kernels or tasks on one clock for all ranks, since whatever date.
struct KernelSpan {
  Duration first{}, last{};
  Duration covered{};  // while at least one runs
};

// How far a rank's clock is ahead of the first one's, from the ends of collectives that all ranks share.
struct ClockOffset {
  std::size_t meetings = 0;
  Duration median{}, least{}, most{};
  Duration late{};  // by how much the others wait for it at a meeting, on average, on one clock

  // What is taken off its dates: nothing where the meetings do not agree on who is ahead.
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
  Names exchanges;                               // by what is exchanged
  std::map<std::uint64_t, Occurrences> packets;  // by bytes
  // By operator, then by number among its tasks on the rank; kernels have none.
  std::map<std::string, std::map<std::uint32_t, TaskTimes>, std::less<>> tasks;
  std::optional<TimeSplit> steps;
  std::optional<KernelSpan> span;
  std::optional<ClockOffset> clock;
};

// What a profile says, summed up while it is read, so that its size does not matter.
struct Profile {
  ProfileUnit unit = ProfileUnit::kKernel;
  std::map<std::uint32_t, RankProfile> ranks;
  std::vector<std::string> notes;  // what was left out, and why
  std::size_t entries = 0;         // names of all ranks

  // Bytes of a name that are no text are replaced. Throws InputError where there are more names, or longer ones,
  // than any model has.
  Occurrences& at(std::uint32_t rank, std::string_view name) { return find(ranks[rank].operators, name); }
  Occurrences& exchange(std::uint32_t rank, std::string_view name) {
    return find(ranks[rank].exchanges, name);
  }
  Occurrences& packet(std::uint32_t rank, std::uint64_t bytes);
  // nullptr beyond the most tasks that are kept.
  TaskTimes* task(std::uint32_t rank, std::string_view name, std::uint32_t index);
  // Of all ranks.
  Names sum(Names RankProfile::* names) const;
  // The operators of all ranks by type, kernels that say none by name.
  Names by_type() const;

 private:
  Occurrences& find(Names& names, std::string_view name);
  void count_entry(std::size_t length);
  std::size_t tasks_ = 0;
};

// Valid UTF-8 without control characters, as a terminal and JSON take it, and without space at its ends, as tables
// pad their cells.
std::string printable(std::string_view name);

// A kind of profile. One file each, registered by name.
class ProfileReader {
 public:
  static constexpr std::string_view kKind = "profile";
  virtual ~ProfileReader() = default;
  virtual bool takes(const std::filesystem::path& path) const = 0;
  // Throws InputError with file and line. Takes little memory, however large the profile.
  virtual Profile read(const std::filesystem::path& path) const = 0;
};

using ProfileReaders = Registry<ProfileReader>;

// By the reader that takes it. Throws InputError where none does.
Profile read_profile(const std::filesystem::path& path);

// The same of a simulated run, by the same definitions.
Profile profile_of(std::span<const TracedPass> passes, ProfileUnit unit);

}  // namespace a3sim
