#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"

namespace a3sim {

// A kind of YAML files that a3sim reads, or a few that are read alike, in a file each; registered by name.
struct Document {
  static constexpr std::string_view kKind = "kind of file";
  // Below the folder of configurations: where the shipped ones stand, and the one that a new file starts from.
  std::string_view folder, usual;
  std::string_view use;  // how one is used, with FILE for it
  // Reads everything that the readers of such files read; what is wrong is noted, or thrown as Error.
  void (*read)(const Config& root, Diagnostics& diagnostics, const std::filesystem::path& file);
  // Takes the file as the program does; throws InputError with all that is wrong. None: what can be read is taken.
  void (*take)(const std::filesystem::path& file) = nullptr;
  std::string_view block{};  // that such a file has of what is read; empty: all
  // The folder of files that are read to learn what readers ask for; empty: its own.
  std::string_view samples{};
  // Blocks that such a file may have beside its own, with spaces between.
  std::string_view beside{};

  void accept(const std::filesystem::path& file) const;
  std::vector<std::filesystem::path> sample_files() const;
  bool has(std::string_view name) const { return block.empty() || name == block; }
  bool may_have(std::string_view name) const;
};
using Documents = Registry<Document>;

// What is known of a kind's keys: its readers are run on the samples, and again with each name that they take
// anywhere, and with something at each place where they looked and found nothing, until they ask for nothing new. Found
// once, and kept as long as the thread runs.
const KeyTree& known_keys(const Document& document);

// A kind of files as a JSON schema (draft-07), for editors: its keys, what each takes, and what holds without it.
// Everything that it refuses is refused by the reader. The reader refuses more: keys that are missing, which a file
// that includes this one may have, and what does not go together.
nlohmann::ordered_json json_schema(std::string_view name, const Document& document);

// A file of a kind to start from: a shipped one with its comments, which finds what it includes from wherever it is
// put; what editors need to check it; and the keys that it leaves out, with what they take. Of hardware also which
// values move predictions most inside their ranges. Throws InputError for a name that is not shipped.
std::string starter_file(std::string_view kind, const Document& document, std::string_view from,
                         const std::string& schema_file);

}  // namespace a3sim
