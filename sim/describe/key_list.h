#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/key_form.h"
#include "sim/describe/document.h"

namespace a3sim {

// A key with its full path. '*' stands for names that users choose and for positions in lists.
struct ListedKey {
  std::string path;
  const KnownKey* known = nullptr;
  std::string expected() const;  // Says in words which values the key takes.
  // Returns the default; empty if the key is required or its default depends on other keys.
  std::string fallback() const;
};

// Returns all keys that hold a value, sorted. They point into the tree.
std::vector<ListedKey> listed_keys(const KeyTree& tree);
// Returns the paths of all blocks: mappings, and lists of mappings, that hold keys; sorted.
std::vector<std::string> listed_blocks(const KeyTree& tree);
// Returns the key of a path as users write it, with names and positions, or nullptr.
const ListedKey* find_key(const std::vector<ListedKey>& keys, std::string_view path);
// Returns the keys whose paths end in these words: "chunk" finds cut.chunk, "egress" finds planes.*.egress.
std::vector<ListedKey> keys_ending_in(const std::vector<ListedKey>& keys, std::string_view words);
// Returns "; did you mean 'x'?" with the keys that end so or the closest one. Empty if none is near.
std::string meant_key(const std::vector<ListedKey>& keys, std::string_view path);

// A key of one configuration, with all that is known about it.
struct ExplainedKey {
  std::string path, meaning, expected, fallback;
  std::optional<std::string> value;  // nullopt: this configuration does not have or read it
  std::string origin;                // "ep4.yaml:12:3", "--set:1:1", "default"
  std::string source, note, low, high;
  bool fitted = false;
  std::string comment;  // from the file, beside the key and in the lines above it
};

// Explains a key of a configuration. Throws InputError with the closest names for a key that no
// configuration of this kind has, and for a configuration that is wrong.
ExplainedKey explain_key(std::string_view kind, const Document& document, const std::string& path,
                         const std::filesystem::path& file, std::span<const std::string> overrides);

}  // namespace a3sim
