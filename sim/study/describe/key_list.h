#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/key_form.h"
#include "sim/study/describe/document.h"

namespace a3sim {

// A key and its whole path; '*' stands for names that users give and for positions in lists.
struct ListedKey {
  std::string path;
  const KnownKey* known = nullptr;
  std::string expected() const;  // what is taken there, in words
  std::string fallback() const;  // what holds without it; empty: it must stand, or depends on the rest
};

// All that hold a value, sorted. They point into the tree.
std::vector<ListedKey> listed_keys(const KeyTree& tree);
// The key of a path as users write it, with names and positions; nullptr where there is none.
const ListedKey* find_key(const std::vector<ListedKey>& keys, std::string_view path);
// The keys whose paths end in these words: "chunk" finds cut.chunk, "planes.*.egress" all that end so.
std::vector<ListedKey> keys_ending_in(const std::vector<ListedKey>& keys, std::string_view words);
// "; did you mean 'x'?": keys that end so, or the closest one; empty where none is near.
std::string meant_key(const std::vector<ListedKey>& keys, std::string_view path);

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
