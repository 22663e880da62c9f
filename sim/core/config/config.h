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

// A place in a configuration: file:line:column, from 1. Values from the command line have file "--set", and
// as their line the number of the override. Line 0 stands for a file as a whole.
struct Mark {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string text() const;  // "ep4.yaml:3:7"
};

// Everything that is wrong with a configuration, gathered, so that one run shows all of it.
class Diagnostics {
 public:
  // Adds `mark: path: message` (path left out when empty);
  // the same once more at the same place is not added again.
  void error(const Mark& mark, std::string_view path, std::string_view message);
  bool empty() const { return messages_.empty(); }
  // Whether there is an error about the path itself.
  bool about(std::string_view path) const;
  // In order of file, line and column.
  std::span<const std::string> messages() const { return messages_; }
  // Throws InputError with all messages, a line each; nothing if there are none.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
  std::vector<Mark> marks_;  // of messages_, both in order of place
};

// A value with its source, as it stands in the configuration.
struct SourcedValue {
  std::string path;
  Mark mark;
  std::string value, source, note;
  std::string low, high;  // the ends of its range; empty without one
  Mark value_mark;        // of the value itself
  bool fitted = false;    // whether it was fitted inside its range, rather than found in a source
};

// A node of the parsed document; see value.h. Scalars keep their text.
struct ConfigValue;
enum class QuantityKind : std::uint8_t;

// One mapping of a configuration, read key by key. A wrong or missing value is noted in the Diagnostics and a
// harmless value is returned, so that reading goes on and all errors show. Every key that was never asked for
// is an error: call finish() when a mapping has been read ("unknown key; did you mean …?"). Reads take the
// unit with the number: `192 MiB`, `1.6 TB/s`, `1.1 us`, `1.85 GHz`; a number without one is refused.
class Config {
 public:
  // Reads a file with its includes and then the overrides. Everything wrong is noted in `diagnostics`, which
  // must outlive all that is read; after a file that could not be read, what is missing is not noted too.
  //
  // `include: path`, or a list of them, at the top of a file: relative to it; a later one wins over an
  // earlier one and the including file over both. Maps are merged deeply, all else is replaced whole, values
  // with a source too (the value of one file never stands beside the source of another), and maps that are
  // tagged so: `hardware: !override`. A key with nothing behind it leaves a map as it is.
  //
  // An override is `path.to.key=value`, list elements by their number from 0, the value any YAML. It may make
  // keys: a misspelt one is then unknown to whoever reads that mapping. Over a value with a source it is its
  // own source.
  static Config load(const std::filesystem::path& file, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);
  // The same from text; `name` stands for the file in messages.
  static Config parse(std::string_view text, const std::string& name, std::span<const std::string> overrides,
                      Diagnostics& diagnostics);
  // The file `base` with the values that `other` has at every path that is `taken`: what only `other` has
  // there is added, what only `base` has there goes. Then the overrides.
  static Config load_with_parts(const std::filesystem::path& base, const std::filesystem::path& other,
                                const std::function<bool(std::string_view)>& taken, Diagnostics& diagnostics,
                                std::span<const std::string> overrides = {});
  // The same from a document that tree() has copied, and that stays as it is.
  static Config from(const ConfigValue& tree, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);
  // A copy of the whole document as its files and overrides state it, without the defaults that were read.
  std::shared_ptr<const ConfigValue> tree() const;

  bool has(std::string_view key) const;  // whether it stands there, even if with nothing behind it
  bool is_map(std::string_view key) const;
  Mark mark() const;                      // of this mapping
  Mark mark(std::string_view key) const;  // of a key's value, or of this mapping
  std::string path(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the file's order; marks none as read
  // The keys that are names which whoever writes the file gives: all but the fixed ones, in the file's order.
  std::vector<std::string> names(std::initializer_list<std::string_view> fixed = {}) const;
  // The key means nothing here but may stand.
  void let_stand(std::string_view key) const;
  // Notes an error at a key's value; not where the key is absent from what could not be read.
  void error(std::string_view key, std::string_view message) const;
  // Whether something has been noted about the key itself: what follows from its value is then no news.
  bool is_wrong(std::string_view key) const;

  // A mapping below; an absent one reads as empty (every required key in it is then missing).
  Config map(std::string_view key) const;
  // A list of mappings.
  std::vector<Config> maps(std::string_view key) const;

  std::string text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  bool boolean(std::string_view key, bool fallback) const;  // true or false only
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max) const;
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t fallback) const;
  double number(std::string_view key, double min, double max) const;
  double number(std::string_view key, double min, double max, double fallback) const;
  // One of an enum's names.
  template <NamedEnum Enum>
  Enum choice(std::string_view key) const {
    return static_cast<Enum>(choice(key, kNamesOf<Enum>));
  }
  template <NamedEnum Enum>
  Enum choice(std::string_view key, Enum fallback) const {
    return static_cast<Enum>(choice(key, kNamesOf<Enum>, name_of(fallback)));
  }
  // One of the names; returns its position.
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
  // One of the names of a `kind` of things; unknown ones are noted with the known ones, and are nothing.
  std::optional<std::string> name(std::string_view key, std::string_view kind,
                                  std::span<const std::string> known,
                                  std::optional<std::string_view> fallback = {}) const;
  // Of what is registered (sim/core/registry.h).
  template <class Interface>
  std::optional<std::string> registered(std::string_view key,
                                        std::optional<std::string_view> fallback = {}) const {
    return name(key, Interface::kKind, Registry<Interface>::names(), fallback);
  }
  std::vector<std::string> texts(std::string_view key) const;  // a list of scalars; absent: empty
  // Whatever stands there, as YAML on one line: what an override takes. All below it counts as read.
  std::string yaml(std::string_view key) const;
  // The items of a list, each as yaml() has it, with their places; absent: none. Notes an error where it is
  // no list.
  std::vector<std::pair<std::string, Mark>> yaml_items(std::string_view key) const;
  // A path, relative to the file that it stands in (from --set: to the working directory).
  std::filesystem::path file(std::string_view key) const;

  // Quantities: B KiB MiB GiB TiB KB (kB) MB GB TB; the same with /s; ps ns us ms s; Hz kHz MHz GHz. The
  // decimal number is taken exactly: one that is not a whole number of ps, bytes or Hz is refused, not
  // rounded. At most 10^18 of these. Positive unless `allow_zero`.
  Bytes bytes(std::string_view key) const;
  BytesPerSecond rate(std::string_view key) const;
  Duration duration(std::string_view key, bool allow_zero = true) const;
  Hertz frequency(std::string_view key) const;
  // A number of things a clock cycle (`110 B/cycle`, `64
  // element/cycle`): the number; `unit` is what must stand there.
  double per_cycle(std::string_view key, std::string_view unit) const;

  // Hardware values are written `{value: 192 MiB, source: "..."}` with optional `range: [a, b]`, `note:` and,
  // beside a range, `fitted: true`; every read of a scalar above takes that form too, and refuses a value
  // outside its range. With require_sources(true) a scalar without a source is refused in this mapping and
  // those below, unless it comes from --set.
  Config require_sources(bool required) const;
  // All values below this mapping that have a source, in the file's order.
  std::vector<SourcedValue> sourced() const;

  // All values below this mapping with their paths, in the file's order: scalars and lists as YAML on one
  // line, those with a source without it. Defaults that were read are among them.
  std::vector<std::pair<std::string, std::string>> values() const;

  // Notes every key that was not read, in this mapping and in
  // all below it that were read, with the closest known one.
  void finish() const;
  // Throws what has been noted so far: where the rest cannot be judged before that is mended.
  void throw_if_any() const;

  // What was asked of this mapping and of all below it: every key that has been read, with what is taken there.
  KeyTree known() const;

  // The whole document as YAML after includes and overrides, and with the defaults that were read: what ran.
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
