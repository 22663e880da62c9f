#include "sim/experiment/config/configs_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>

#include "sim/core/error.h"

namespace a3sim {

namespace {

namespace fs = std::filesystem;

// Where the configurations may lie, seen from the program: bin/a3sim of an installation, build/PRESET/a3sim of a
// clone that may have been moved since it was built, and the clone as it was then.
std::vector<fs::path> possible_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) {
    const fs::path above = program.parent_path().parent_path();
    folders = {above / "share" / "a3sim" / "configs", above.parent_path() / "configs"};
  }
  folders.emplace_back(A3SIM_CONFIG_DIR);
  return folders;
}

bool holds_configs(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "experiments", error);
}

}  // namespace

fs::path configs_folder() {
  if (const char* folder = std::getenv("A3SIM_CONFIGS"); folder && *folder) {
    if (holds_configs(folder)) return folder;
    throw InputError(fmt::format(
        "A3SIM_CONFIGS is {}, which is no copy of configs/: it has no folder experiments", folder));
  }
  const std::vector<fs::path> folders = possible_folders();
  const auto found = std::ranges::find_if(folders, holds_configs);
  if (found != folders.end()) return *found;
  throw InputError(fmt::format(
      "the shipped configurations are gone: none of {} has them; set A3SIM_CONFIGS to a copy of configs/, or "
      "install or build a3sim again",
      fmt::join(folders | std::views::transform([](const fs::path& one) { return one.string(); }), ", ")));
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files_in(folder, ending)) names.push_back(file.stem().string());
  return names;
}

}  // namespace a3sim
