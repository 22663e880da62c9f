#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/scratch_directory.h"

namespace a3sim {

// Splits one input into several files. Each begins with a line `=== NAME`. Targets ignore names that they
// did not ask for, so that no input leaves its folder.
inline std::vector<std::pair<std::string, std::string>> files_in(std::string_view input) {
  constexpr std::string_view kBegin = "=== ";
  std::vector<std::pair<std::string, std::string>> files;
  while (input.starts_with(kBegin)) {
    const std::size_t line = input.find('\n');
    if (line == std::string_view::npos) break;
    const std::string name(input.substr(kBegin.size(), line - kBegin.size()));
    input.remove_prefix(line + 1);
    const std::size_t next = input.find("\n=== ");
    files.emplace_back(name, input.substr(0, next == std::string_view::npos ? next : next + 1));
    input.remove_prefix(next == std::string_view::npos ? input.size() : next + 1);
  }
  return files;
}

// Returns the folder of this process, for targets that read files.
inline const ScratchDirectory& fuzz_folder() {
  static const ScratchDirectory kFolder;
  return kFolder;
}

}  // namespace a3sim
