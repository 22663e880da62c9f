#include <array>
#include <optional>
#include <string_view>
#include <system_error>

#include "sim/core/config/shipped_files.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// The folders of configs/ with what an experiment is made of. An experiment goes before a part of the same name.
constexpr std::array<std::string_view, 8> kIncluded{"experiments", "hardware", "programs",   "models",
                                                    "orders",      "faults",   "topologies", "steps"};

bool is_shipped(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// "ep8", "ep8.yaml", "hardware/a3" and "configs/hardware/a3.yaml".
class ShippedConfigs final : public ShippedFiles {
 public:
  std::optional<fs::path> find(const fs::path& name) const override {
    const fs::path configs = configs_folder();
    const fs::path below =
        name.has_parent_path() && *name.begin() == "configs" ? name.lexically_relative("configs") : name;
    for (const std::string_view ending : {"", ".yaml"}) {
      fs::path file = below;
      file += ending;
      if (below.has_parent_path()) {
        if (is_shipped(configs / file)) return configs / file;
        continue;
      }
      for (const std::string_view folder : kIncluded) {
        if (is_shipped(configs / folder / file)) return configs / folder / file;
      }
    }
    return std::nullopt;
  }
};

A3SIM_REGISTER(ShippedFiles, "configs", "what is shipped in configs/", ShippedConfigs);

}  // namespace
}  // namespace a3sim
