#include "sim/experiment/configs_folder.h"

#include <cstdlib>

namespace a3sim {

std::filesystem::path configs_folder() {
  const char* folder = std::getenv("A3SIM_CONFIGS");
  return folder && *folder ? folder : A3SIM_CONFIG_DIR;
}

}  // namespace a3sim
