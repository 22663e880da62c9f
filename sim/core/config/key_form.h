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

// What a read takes at a key. Reads note it where they note that a key is known, so that what describes a
// configuration (a schema, a list of its keys) says what readers do.
struct KeyForm {
  KeyKind kind = KeyKind::kAnything;
  std::string expected{};            // as messages say it
  std::string pattern{};             // kQuantity: a regular expression of the whole text
  std::vector<std::string> names{};  // kChoice
  std::int64_t least = std::numeric_limits<std::int64_t>::min(),  // kInteger
      most = std::numeric_limits<std::int64_t>::max();
  double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();  // kNumber
  bool needs_source = false;  // taken as `{value: ..., source: ...}` alone
  bool operator==(const KeyForm&) const = default;
};

// What readers know of one key of a mapping.
struct KeyRecord {
  std::vector<KeyForm> forms;  // none: only looked for
  std::optional<std::string> fallback;
  bool named = false;  // a name that whoever writes the file gives
  // Beside what is taken already. A limit that differs depends on the rest of the configuration, and is left
  // out; of two choices both ones' names are taken.
  void add(const KeyForm& form);
};

struct KeyTree;

struct KnownKey : KeyRecord {
  std::unique_ptr<KeyTree> below;  // of the mapping that stands there, or of all in the list
  bool present = false;            // in what was read
};

// What readers know of a mapping and of all below it.
struct KeyTree {
  std::map<std::string, KnownKey> keys;
  std::unique_ptr<KnownKey>
      any;              // of names that whoever writes the file gives; nullptr where there are none such
  std::string example;  // one of these
  bool list = false;    // of the mappings in a list, together

  // What `other` knows too. A fallback that differs depends on the rest, and is left out.
  void merge(const KeyTree& other);
};

}  // namespace a3sim
