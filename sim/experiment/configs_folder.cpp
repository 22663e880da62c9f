#include "sim/experiment/configs_folder.h"

#include <algorithm>
#include <cstdlib>

namespace a3sim {

std::filesystem::path configs_folder() {
  namespace fs = std::filesystem;
  if (const char* folder = std::getenv("A3SIM_CONFIGS"); folder && *folder) return folder;
  // After installation, they are beside the program: bin/a3sim, share/a3sim/configs.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = program.parent_path().parent_path() / "share" / "a3sim" / "configs";
    if (fs::is_directory(installed, error)) return installed;
  }
  return A3SIM_CONFIG_DIR;
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
