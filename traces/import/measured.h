#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"
#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// What a profile has times of.
enum class MeasuredUnit : std::uint8_t { kKernel, kTask };
constexpr auto names_of(MeasuredUnit) { return std::to_array<std::string_view>({"kernel", "task"}); }

// All kernels, or all tasks, of one name on one rank.
struct Occurrences {
  std::uint64_t count = 0;
  Duration total{}, least = Duration::max(), most{};
  Duration waited{};  // before they ran
  std::uint64_t hits_known = 0;
  double hits = 0;  // L2 hit rates, summed over those that say one

  // Throw InputError where a sum is longer than any profile.
  void add(Duration time, Duration wait);
  void wait(Duration time);
  Occurrences& operator+=(const Occurrences& other);
  Duration mean() const {
    return count ? Duration(total.count() / static_cast<std::int64_t>(count)) : Duration{};
  }
};

// What a profile says, summed up while it is read, so that its size does not matter.
struct Measured {
  MeasuredUnit unit = MeasuredUnit::kKernel;
  std::map<std::uint32_t, std::map<std::string, Occurrences, std::less<>>> ranks;
  std::vector<std::string> notes;  // what was left out, and why
  std::size_t entries = 0;         // names of all ranks

  // Bytes of a name that are no text are replaced. Throws InputError where there are more names, or longer ones,
  // than any model has.
  Occurrences& at(std::uint32_t rank, std::string_view name);
  std::map<std::string, Occurrences, std::less<>> all_ranks() const;
};

// A kind of profile. One file each, registered by name.
class ProfileReader {
 public:
  static constexpr std::string_view kKind = "profile";
  virtual ~ProfileReader() = default;
  virtual bool takes(const std::filesystem::path& path) const = 0;
  // Throws InputError with file and line. Takes little memory, however large the profile.
  virtual Measured read(const std::filesystem::path& path) const = 0;
};

using ProfileReaders = Registry<ProfileReader>;

// By the reader that takes it. Throws InputError where none does.
Measured read_profile(const std::filesystem::path& path);

// The same of a simulated run, by the same definitions.
Measured measured(std::span<const TracedPass> passes, MeasuredUnit unit);

// What a profile says, by name.
Report measured_report(const Measured& profile);
// Simulated beside measured, the names that differ by most time first; `names` maps the profile's to ours.
Report mismatch_report(const Measured& profile, const Measured& simulated,
                       const std::map<std::string, std::string, std::less<>>& names);

}  // namespace a3sim
