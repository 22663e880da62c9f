#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// The thresholds of a cause, each with its source, and its remedies, as read from configs/advice/CAUSE.yaml.
class RuleData {
 public:
  // Reads a file. configs/advice/shared.yaml holds thresholds that several causes share, and no remedies.
  // Throws InputError with everything wrong in the file.
  static RuleData read(const std::filesystem::path& file);
  static RuleData read(const Config& root, const std::filesystem::path& file);

  // Throws InputError with the file's name if it has no such threshold.
  double at(std::string_view threshold) const;
  const std::vector<std::string>& remedies() const { return remedies_; }
  // Remedies that come first if the cause costs time in every step; may be empty.
  const std::vector<std::string>& standing_remedies() const { return standing_remedies_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, double, std::less<>> thresholds_;
  std::vector<std::string> remedies_, standing_remedies_;
};

}  // namespace a3sim
