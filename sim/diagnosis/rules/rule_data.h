#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A remedy for a cause, and the change by which `a3sim advise --prove` simulates it.
struct RemedyPlan {
  // kNone: no change that the simulation knows. kRemoved: the cause is gone. kWorkers: the data loader has
  // twice as many workers. kBalanced: experts have equal rows.
  enum class Change : std::uint8_t { kNone, kRemoved, kWorkers, kBalanced };
  std::string text;
  Change change = Change::kNone;
  // The profiler of whose profiles a remedy speaks; kAny: all, and simulated jobs.
  enum class Profiler : std::uint8_t { kAny, kAscend, kPytorch };
  Profiler profiler = Profiler::kAny;
  bool hardware = false;  // only a framework, a driver or a real network has it: not for simulated jobs
};

// The thresholds of a cause, each with its source, and its remedies, as read from configs/advice/CAUSE.yaml.
class RuleData {
 public:
  // Reads a file. configs/advice/shared.yaml holds thresholds that several causes share, and no remedies.
  // Throws InputError with everything wrong in the file.
  static RuleData read(const std::filesystem::path& file);
  static RuleData read(const Config& root, const std::filesystem::path& file);

  // Returns a threshold. Throws InputError with the file's name if it does not exist.
  double at(std::string_view threshold) const;
  const std::vector<RemedyPlan>& remedies() const { return remedies_; }
  // Returns the remedies that come first if the cause costs time in every step; may be empty.
  const std::vector<RemedyPlan>& standing_remedies() const { return standing_remedies_; }
  // Returns whether time lost in every step is a finding even if a step without faults loses it too.
  bool always() const { return always_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, double, std::less<>> thresholds_;
  std::vector<RemedyPlan> remedies_, standing_remedies_;
  bool always_ = false;
};

// Returns the least time that matters to a device, in ps: `least_ms` of a cause, or a part of the step if
// that is less.
double felt_time(const RuleData& data, const RuleData& shared, double step);

}  // namespace a3sim
