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

// What a read accepts at a key. Reads record it together with the key, so that descriptions of a
// configuration (schema, list of keys) follow the readers.
struct KeyForm {
  KeyKind kind = KeyKind::kAnything;
  std::string expected{};            // as in messages
  std::string pattern{};             // kQuantity: a regular expression for the whole text
  std::vector<std::string> names{};  // kChoice
  std::int64_t least = std::numeric_limits<std::int64_t>::min(),  // kInteger
      most = std::numeric_limits<std::int64_t>::max();
  double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();  // kNumber
  bool operator==(const KeyForm&) const = default;
};

// What readers know about one key of a mapping.
struct KeyRecord {
  std::vector<KeyForm> forms;  // empty: its presence was tested only
  std::optional<std::string> fallback;
  bool named = false;  // a name chosen by the user
  // Adds a form. A limit that differs from an earlier one depends on the rest of the configuration and is
  // dropped. The names of two choices are merged.
  void add(const KeyForm& form);
};

struct KeyTree;

struct KnownKey : KeyRecord {
  std::unique_ptr<KeyTree> below;  // of the mapping, or of all mappings in the list
  bool present = false;            // whether the file has it
};

// What readers know about a mapping and all below it.
struct KeyTree {
  std::map<std::string, KnownKey> keys;
  std::unique_ptr<KnownKey>
      any;              // of names that whoever writes the file gives; nullptr where there are none such
  std::string example;  // one of the names
  bool list = false;    // all mappings of a list together

  // Merges what `other` knows. A fallback that differs depends on the rest and is dropped.
  void merge(const KeyTree& other);
};

}  // namespace a3sim
