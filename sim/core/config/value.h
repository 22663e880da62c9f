#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/config/key_form.h"

namespace a3sim {

// The file name in marks of `--set` overrides.
inline constexpr std::string_view kOverrideFile = "--set";
// The source of a value for which none is given.
inline constexpr std::string_view kNotStated = "not stated";

// A node of a configuration. Scalars keep the text of the file; readers interpret it.
struct ConfigValue {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  struct Entry {
    std::string key;
    Mark key_mark;
    std::unique_ptr<ConfigValue> value;
    bool is_default = false;  // not in a file: added by a read with a fallback, for resolved()
    bool reported = false;    // already reported as unknown
  };

  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;                                 // kScalar
  std::vector<std::unique_ptr<ConfigValue>> items;  // kList
  std::vector<Entry> entries;                       // kMap, in the file's order

  std::map<std::string, KeyRecord, std::less<>> asked;  // keys that readers know, present or not
  std::set<std::string, std::less<>> stood;  // keys whose values have no effect here (Config::let_stand())
  bool names_open = false;                   // has keys that are names chosen by the user
  bool opened = false;                       // read as a mapping, so that all its keys must be known
  // Why the file leaves this value open; empty if it gives one. Another file or --set must then give it.
  std::string open;
  bool whole = false;   // tagged !override: replaces the value of an included file
  bool broken = false;  // could not be read: its missing keys are not reported

  // Returns the entry of `key`, or nullptr.
  Entry* find(std::string_view key) {
    const std::size_t place = place_of(key);
    return place == entries.size() ? nullptr : &entries[place];
  }
  const Entry* find(std::string_view key) const {
    const std::size_t place = place_of(key);
    return place == entries.size() ? nullptr : &entries[place];
  }

  // Appends an entry. Its key must be new.
  Entry& add(std::string key, Mark key_mark, std::unique_ptr<ConfigValue> value);

  // Removes the entry of `key` if there is one, and returns its value.
  std::unique_ptr<ConfigValue> take(std::string_view key);

  static std::unique_ptr<ConfigValue> scalar(std::string text, Mark mark);
  // Returns a copy of what the files hold, without defaults and all else that readers have noted.
  std::unique_ptr<ConfigValue> as_read() const;

  // Notes an error for every value in it that is left open.
  void refuse_open(const std::string& path, Diagnostics& diagnostics) const;

  // True if this is `{value: ..., source: ...}`.
  bool is_sourced() const { return kind == Kind::kMap && find("value") != nullptr; }
  // Turns a scalar into `{value: scalar, source: source}`.
  void add_source(std::string_view source);
  // Returns its description for messages: "'x'", "a list", "a mapping", "nothing".
  std::string description() const;

 private:
  // Returns the place of a key among the entries, or their number.
  std::size_t place_of(std::string_view key) const;

  // Into entries, if there are more than a few: most mappings are small, and copied often.
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace a3sim
