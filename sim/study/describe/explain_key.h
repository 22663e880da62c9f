#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "sim/study/describe/document.h"
#include "sim/study/describe/key_list.h"

namespace a3sim {

// A key of one configuration, with all that is known of it.
struct ExplainedKey {
  std::string path, expected, fallback;
  std::optional<std::string> value;  // none: this configuration has none, or does not read it
  std::string origin;                // "ep4.yaml:12:3", "--set:1:1", "default"
  std::string source, note, low, high;
  bool fitted = false;
  std::string comment;  // beside it in the file, and in the lines above it
};

// Throws InputError for a key that no configuration of this kind has, with those that were probably meant, and for
// a configuration that is wrong.
ExplainedKey explain_key(const Document& document, const std::string& path, const std::filesystem::path& file,
                         std::span<const std::string> overrides);

}  // namespace a3sim
