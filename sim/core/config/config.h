#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/config/key_form.h"
#include "sim/core/enum_names.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

// A place in a configuration: file:line:column, from 1. Values from the command line have the file "--set"
// and the number of the override as their line. Line 0 means a whole file.
struct Mark {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string text() const;  // "ep4.yaml:3:7"
};

// Collects all errors of a configuration, so that one run shows all of them.
class Diagnostics {
 public:
  // Adds `mark: path: message`, without an empty path. Ignores a message that is already there at the same
  // place.
  void error(const Mark& mark, std::string_view path, std::string_view message);
  bool empty() const { return messages_.empty(); }
  // True if an error about the path itself is noted.
  bool about(std::string_view path) const;
  // Messages in order of file, line and column.
  std::span<const std::string> messages() const { return messages_; }
  // Throws InputError with all messages, a line each, if there are any.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
  std::vector<Mark> marks_;  // places of messages_; both are in order of place
};

// A value with its source, as written in the configuration.
struct SourcedValue {
  std::string path;
  Mark mark;
  std::string value, source, note;
  std::string low, high;  // limits of its range; empty without one
  Mark value_mark;        // of the value itself
  bool fitted = false;    // fitted within its range, not taken from a source
};

// A node of the parsed document; see value.h. Scalars keep their text.
struct ConfigValue;
enum class QuantityKind : std::uint8_t;

// One mapping of a configuration, read key by key. Reading a wrong or missing value notes an error in the
// Diagnostics and returns a harmless value, so that all errors show. Call finish() after reading a mapping:
// every key that was never read is an error ("unknown key; did you mean …?"). Quantities need their unit:
// `192 MiB`, `1.6 TB/s`, `1.1 us`, `1.85 GHz`; a number without one is refused.
class Config {
 public:
  // Reads a file with its includes, then applies the overrides. Notes errors in `diagnostics`, which must
  // outlive everything that is read. If a file cannot be read, missing keys are not reported.
  //
  // `include: path`, or a list of paths, at the top of a file: relative to that file. A later one wins over
  // an earlier one, and the including file over both. Mappings are merged deeply. Everything else is replaced
  // as a whole, including values with a source (a value is never combined with the source of another file)
  // and mappings with a tag: `hardware: !override`. A key without a value leaves a mapping as it is.
  //
  // An override is `path.to.key=value`. List elements are named by number from 0, and the value is any YAML.
  // It may create keys; a misspelt key is then unknown to the reader of that mapping. A value that it
  // overrides gets the override as its source.
  static Config load(const std::filesystem::path& file, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);
  // Like load(), but reads the text of a file. Messages use `name` for the file.
  static Config parse(std::string_view text, const std::string& name, std::span<const std::string> overrides,
                      Diagnostics& diagnostics);
  // Reads the file `base`, and takes from `other` every path for which `taken` returns true: adds what only
  // `other` has, and removes what only `base` has. Then applies the overrides.
  static Config load_with_parts(const std::filesystem::path& base, const std::filesystem::path& other,
                                const std::function<bool(std::string_view)>& taken, Diagnostics& diagnostics,
                                std::span<const std::string> overrides = {});
  // Like load(), but reads a document that tree() has copied, and does not change it.
  static Config from(const ConfigValue& tree, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);
  // Returns a copy of the whole document as its files and overrides state it, without the defaults that were
  // read.
  std::shared_ptr<const ConfigValue> tree() const;

  bool has(std::string_view key) const;  // true if the key is there, even without a value
  bool is_map(std::string_view key) const;
  Mark mark() const;                      // of this mapping
  Mark mark(std::string_view key) const;  // of a key's value, or of this mapping
  std::string path(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the file's order; no key counts as read
  // Returns the keys that are names chosen by the user: all but the fixed ones, in the file's order.
  std::vector<std::string> names(std::initializer_list<std::string_view> fixed = {}) const;
  // Accepts the key and ignores its value.
  void let_stand(std::string_view key) const;
  // Notes an error at a key's value, unless the key is missing from a mapping that could not be read.
  void error(std::string_view key, std::string_view message) const;
  // True if an error about the key itself is noted; consequences of its value then need no report.
  bool is_wrong(std::string_view key) const;

  // Returns a mapping. An absent one is empty, so all its required keys are missing.
  Config map(std::string_view key) const;
  // Returns a list of mappings.
  std::vector<Config> maps(std::string_view key) const;

  std::string text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  bool boolean(std::string_view key, bool fallback) const;  // accepts only true and false
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max) const;
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t fallback) const;
  double number(std::string_view key, double min, double max) const;
  double number(std::string_view key, double min, double max, double fallback) const;
  // Reads one of an enum's names.
  template <NamedEnum Enum>
  Enum choice(std::string_view key) const {
    return static_cast<Enum>(choice(key, kNamesOf<Enum>));
  }
  template <NamedEnum Enum>
  Enum choice(std::string_view key, Enum fallback) const {
    return static_cast<Enum>(choice(key, kNamesOf<Enum>, name_of(fallback)));
  }
  // Reads one of the names and returns its index.
  std::size_t choice(std::string_view key, std::span<const std::string_view> names) const;
  std::size_t choice(std::string_view key, std::span<const std::string_view> names,
                     std::string_view fallback) const;
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names) const {
    return choice(key, std::span(names.begin(), names.size()));
  }
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names,
                     std::string_view fallback) const {
    return choice(key, std::span(names.begin(), names.size()), fallback);
  }
  // Reads one of the names of a `kind` of things. Notes an error that lists the known names for an unknown
  // one, and returns an empty string.
  std::optional<std::string> name(std::string_view key, std::string_view kind,
                                  std::span<const std::string> known,
                                  std::optional<std::string_view> fallback = {}) const;
  // Reads the name of a registered object (sim/core/registry.h).
  template <class Interface>
  std::optional<std::string> registered(std::string_view key,
                                        std::optional<std::string_view> fallback = {}) const {
    return name(key, Interface::kKind, Registry<Interface>::names(), fallback);
  }
  std::vector<std::string> texts(std::string_view key) const;  // a list of scalars; absent: empty
  // Returns any value as YAML on one line, as an override takes it. Everything below counts as read.
  std::string yaml(std::string_view key) const;
  // Returns the items of a list as yaml() does, with their places, or none if the key is absent. Notes an
  // error if the value is no list.
  std::vector<std::pair<std::string, Mark>> yaml_items(std::string_view key) const;
  // Returns a path, relative to the file that contains it (from --set: to the working directory).
  std::filesystem::path file(std::string_view key) const;

  // Read quantities: B KiB MiB GiB TiB KB (kB) MB GB TB; the same with /s; ps ns us ms s; Hz kHz MHz GHz. The
  // decimal number is exact: one that is not a whole number of ps, bytes or Hz is refused, not rounded. At
  // most 10^18 of these. Must be positive unless `allow_zero`.
  Bytes bytes(std::string_view key) const;
  BytesPerSecond rate(std::string_view key) const;
  Duration duration(std::string_view key, bool allow_zero = true) const;
  Hertz frequency(std::string_view key) const;
  // Reads a number per clock cycle (`110 B/cycle`, `64 element/cycle`) and returns the number. `unit` is the
  // expected unit.
  double per_cycle(std::string_view key, std::string_view unit) const;
  double per_cycle_or_none(std::string_view key, std::string_view unit) const;  // 0 for `none`

  // Hardware values are written `{value: 192 MiB, source: "..."}` with optional `range: [a, b]`, `note:` and,
  // beside a range, `fitted: true`. Every read of a scalar above accepts that form too, and refuses a value
  // outside its range. After with_sources(true), sourced() also returns the plain scalars of this mapping and
  // those below; their source is `--set`, or kNotStated.
  Config with_sources(bool sources) const;
  // Returns all values below this mapping that have a source, in the file's order.
  std::vector<SourcedValue> sourced() const;

  // Returns all values below this mapping with their paths, in the file's order: scalars and lists as YAML on
  // one line, without their sources. Includes defaults that were read.
  std::vector<std::pair<std::string, std::string>> values() const;

  // Notes an error, with the most similar known key, for every key that was not read in this mapping and in
  // all mappings below it that were read.
  void finish() const;
  // Throws the errors noted so far, for readers that cannot continue without the values.
  void throw_if_any() const;

  // Returns every key that was read in this mapping and those below, with what readers accept there.
  KeyTree known() const;

  // Returns the whole document as YAML after includes and overrides, with the defaults that were read: the
  // configuration of the run.
  std::string resolved() const;

 private:
  struct State;
  struct Found;
  template <class T>
  struct Reader;

  Config(std::shared_ptr<State> state, ConfigValue* value, std::string path, bool sources);
  static Config open(std::unique_ptr<ConfigValue> root, const Mark& start,
                     std::span<const std::string> overrides, Diagnostics& diagnostics);
  ConfigValue* present(std::string_view key) const;
  Found find(std::string_view key, std::string_view expected) const;
  bool unwrap(std::string_view key, std::string_view expected, Found& found) const;
  void take(std::string_view key, KeyForm form, std::optional<std::string> fallback = {}) const;
  void note(const Mark& mark, std::string_view key, std::string_view message) const;
  void note_missing(std::string_view key, std::string_view expected) const;
  void set_default(std::string_view key, std::string text) const;
  template <class T>
  T read(std::string_view key, const Reader<T>& reader) const;
  template <class T>
  bool check_range(std::string_view key, const Found& found, const T& value, const Reader<T>& reader) const;
  std::int64_t quantity(std::string_view key, QuantityKind kind, bool allow_zero) const;

  std::shared_ptr<State> state_;
  ConfigValue* value_ = nullptr;
  std::string path_;
  bool sources_ = false;
};

}  // namespace a3sim
