#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a3sim {

enum class KeyKind : std::uint8_t {
  kAnything,
  kText,
  kPath,
  kBoolean,
  kInteger,
  kNumber,
  kChoice,
  kQuantity,
  kTexts,
  kList,
  kMap,
  kMaps
};

// The values that a read accepts at a key. Reads record it with the key, so that descriptions of a
// configuration (schema, list of keys) follow the readers.
struct KeyForm {
  KeyKind kind = KeyKind::kAnything;
  std::string expected{};            // the wording of messages
  std::string pattern{};             // kQuantity: a regular expression for the whole text
  std::vector<std::string> names{};  // kChoice
  std::int64_t least = std::numeric_limits<std::int64_t>::min(),  // kInteger
      most = std::numeric_limits<std::int64_t>::max();
  double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();  // kNumber
  bool operator==(const KeyForm&) const = default;
};

// The knowledge of readers about one key of a mapping.
struct KeyRecord {
  std::vector<KeyForm> forms;  // empty: its presence was tested only
  std::optional<std::string> fallback;
  bool named = false;  // the key is a name chosen by the user
  // Adds a form. A limit that differs from an earlier one depends on the rest of the configuration and is
  // dropped. The names of two choices are merged.
  void add(const KeyForm& form);
};

struct KeyTree;

struct KnownKey : KeyRecord {
  std::unique_ptr<KeyTree> below;  // the keys below the mapping, or below all mappings of the list
  bool present = false;            // the file has the key
};

// The knowledge of readers about a mapping and all below it.
struct KeyTree {
  std::map<std::string, KnownKey> keys;
  std::unique_ptr<KnownKey> any;  // the keys that are names chosen by the user; nullptr if there are none
  std::string example;            // one of these names
  bool list = false;              // the tree is that of all mappings of a list together

  // Merges what `other` knows. A fallback that differs depends on the rest and is dropped.
  void merge(const KeyTree& other);
};

}  // namespace a3sim
