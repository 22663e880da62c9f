#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A value of the configuration that a file of another program gives.
struct ForeignValue {
  std::string path, text;
  Mark mark;         // where the file says it; line 0: it follows from what the file does not say
  std::string open;  // why the file leaves it open; empty if it does not
};

struct ForeignFile {
  std::string kind;  // the reader's description: "a model's config.json"
  std::vector<ForeignValue> values;
};

// Returns what a file of another program gives, in the file's order. Throws InputError with all that is wrong with it,
// or if no reader takes it.
ForeignFile read_foreign(const std::filesystem::path& file);

}  // namespace a3sim
