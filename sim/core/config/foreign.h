#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "sim/core/config/value.h"
#include "sim/core/registry.h"

namespace a3sim {

// A format of another program that a configuration can include. One file each, registered by name.
class ForeignConfig {
 public:
  static constexpr std::string_view kKind = "foreign configuration";
  virtual ~ForeignConfig() = default;
  // True if it reads this file, judged by its extension, or else by its text.
  virtual bool takes(const std::filesystem::path& file, std::string_view text) const = 0;
  // True if it describes the training of a whole model.
  virtual bool trains() const { return false; }
  // Converts the file to a mapping with marks in the file. Notes errors; returns nullptr if it cannot be
  // read.
  virtual std::unique_ptr<ConfigValue> read(std::string_view text, const Mark& start,
                                            Diagnostics& diagnostics) const = 0;
};
using ForeignConfigs = Registry<ForeignConfig>;

}  // namespace a3sim
