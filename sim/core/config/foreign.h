#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "sim/core/config/value.h"
#include "sim/core/registry.h"

namespace a3sim {

// A file of another program that says a part of a configuration and can be included as such. One file each,
// registered by name.
class ForeignConfig {
 public:
  static constexpr std::string_view kKind = "foreign configuration";
  virtual ~ForeignConfig() = default;
  // By its ending.
  virtual bool takes(const std::filesystem::path& file) const = 0;
  // As a mapping of ours, with marks in the file. Notes what is wrong; nullptr where it cannot be read.
  virtual std::unique_ptr<ConfigValue> read(std::string_view text, const Mark& start,
                                            Diagnostics& diagnostics) const = 0;
};
using ForeignConfigs = Registry<ForeignConfig>;

}  // namespace a3sim
