#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// What configs/advice/CAUSE.yaml says of a cause: thresholds, each with its source, and what fixes it.
class RuleData {
 public:
  // Thresholds that several causes share stand below `shared`, without remedies: configs/advice/shared.yaml. Throws
  // InputError with everything that is wrong in the file.
  static RuleData read(const std::filesystem::path& file);
  static RuleData read(const Config& root, const std::filesystem::path& file);

  // Throws InputError, which names the file, for a threshold that it does not have.
  double at(std::string_view threshold) const;
  const std::vector<std::string>& remedies() const { return remedies_; }
  // What fixes it where it is of every step, before the others; may be empty.
  const std::vector<std::string>& standing_remedies() const { return standing_remedies_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, double, std::less<>> thresholds_;
  std::vector<std::string> remedies_, standing_remedies_;
};

}  // namespace a3sim
