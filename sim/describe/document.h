#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"

namespace a3sim {

// A kind of YAML file that a3sim reads. Registered by name; one file each.
struct Document {
  static constexpr std::string_view kKind = "kind of file";
  // The folder of the shipped files below the configurations' folder, and the one that a new file starts
  // from.
  std::string_view folder, usual;
  std::string_view use;  // a command that uses such a file, named FILE
  // Reads all that readers of such files read. Reports what is wrong, or throws Error.
  void (*read)(const Config& root, Diagnostics& diagnostics, const std::filesystem::path& file);
  // Loads the file as the program does. Throws InputError with all that is wrong. nullptr: the file is fine
  // if it can be read.
  void (*take)(const std::filesystem::path& file) = nullptr;
  std::string_view block{};  // the block of the file that is read; empty: all
  // The folder of sample files that show which keys readers ask for. Empty: `folder`.
  std::string_view samples{};
  // Other blocks that such a file may have, separated by spaces.
  std::string_view beside{};

  void accept(const std::filesystem::path& file) const;
  std::vector<std::filesystem::path> sample_files() const;
  bool has(std::string_view name) const { return block.empty() || name == block; }
  bool may_have(std::string_view name) const;
};
using Documents = Registry<Document>;

// Returns all known keys of a kind. Runs its readers on the samples, then again with each name that they
// accept anywhere and with a value at each place where they found none, until they ask for nothing new. The
// result is kept for the thread's lifetime.
const KeyTree& known_keys(const Document& document);

// Returns a JSON schema (draft-07) for editors: the keys of a kind, their types and defaults. The reader
// refuses all that the schema refuses. It refuses more: missing keys, which a file that includes this one
// may have, and keys that do not fit together.
nlohmann::ordered_json json_schema(std::string_view name, const Document& document);

// Returns a new file of a kind: a shipped one with its comments and with includes that work from any
// folder, a line for editors that names the schema, and the keys that it leaves out. For hardware it also
// says which values move predictions most. Throws InputError for a name that is not shipped.
std::string starter_file(std::string_view kind, const Document& document, std::string_view from,
                         const std::string& schema_file);

}  // namespace a3sim
