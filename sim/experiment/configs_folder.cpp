#include "sim/experiment/configs_folder.h"

#include <cstdlib>

namespace a3sim {

std::filesystem::path configs_folder() {
  namespace fs = std::filesystem;
  if (const char* folder = std::getenv("A3SIM_CONFIGS"); folder && *folder) return folder;
  // Installed, they stand beside the program: bin/a3sim, share/a3sim/configs.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = program.parent_path().parent_path() / "share" / "a3sim" / "configs";
    if (fs::is_directory(installed, error)) return installed;
  }
  return A3SIM_CONFIG_DIR;
}

}  // namespace a3sim
