#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "sim/core/registry.h"

namespace a3sim {

// Files that configurations may include by their names alone, wherever they lie. One file each, registered by name.
class ShippedFiles {
 public:
  static constexpr std::string_view kKind = "folder of shipped files";
  virtual ~ShippedFiles() = default;
  // The file that is called so; none if there is none.
  virtual std::optional<std::filesystem::path> find(const std::filesystem::path& name) const = 0;
};
using ShippedFolders = Registry<ShippedFiles>;

}  // namespace a3sim
