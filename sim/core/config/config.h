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
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// A place in a configuration: file:line:column, from 1. Values from the command line have file "--set".
struct Mark {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string text() const;  // "ep4.yaml:3:7"
};

// Everything that is wrong with a configuration, gathered, so that one run shows all of it.
class Diagnostics {
 public:
  // Adds `mark: path: message` (path left out when empty).
  void error(const Mark& mark, std::string_view path, std::string_view message);
  bool empty() const { return messages_.empty(); }
  std::span<const std::string> messages() const { return messages_; }
  // Throws InputError with all messages, in order of file and line, a line each; nothing if there are none.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
};

// A node of the parsed document; implementation in config.cpp. Scalars keep their text.
struct ConfigValue;

// One mapping of a configuration, read key by key. A wrong or missing value is noted in the Diagnostics and a harmless
// value is returned, so that reading goes on and all errors show. Every key that was never asked for is an error:
// call finish() when a mapping has been read ("unknown key; did you mean …?").
// Reads take the unit with the number: `192 MiB`, `1.6 TB/s`, `1.1 us`, `1.85 GHz`; a number without one is refused.
class Config {
 public:
  // Reads a file with its includes (`include: path` or a list, relative to the file; the including file's keys win, maps
  // are merged deeply) and then `--set path.to.key=value` overrides. Duplicate keys, broken YAML, missing files,
  // include cycles and malformed overrides are noted in `diagnostics`.
  static Config load(const std::filesystem::path& file, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);
  // The same from text; `name` stands for the file in messages.
  static Config parse(std::string_view text, const std::string& name, std::span<const std::string> overrides,
                      Diagnostics& diagnostics);

  bool has(std::string_view key) const;
  Mark mark() const;                      // of this mapping
  Mark mark(std::string_view key) const;  // of a key's value, or of this mapping
  std::string path(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the file's order
  void error(std::string_view key, std::string_view message) const;  // notes an error at a key's value

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
  // One of the names; returns its position.
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names) const;
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names,
                     std::string_view fallback) const;
  std::vector<std::string> texts(std::string_view key) const;  // a list of scalars; absent: empty

  // Quantities: B KiB MiB GiB KB MB GB; B/s … TB/s (and KiB/s …); ps ns us ms s; Hz kHz MHz GHz.
  // Positive unless `allow_zero`.
  Bytes bytes(std::string_view key) const;
  BytesPerSecond rate(std::string_view key) const;
  Duration duration(std::string_view key, bool allow_zero = true) const;
  Hertz frequency(std::string_view key) const;
  // A number of things a clock cycle (`110 B/cycle`, `64 element/cycle`): the number; `unit` is what must stand there.
  double per_cycle(std::string_view key, std::string_view unit) const;

  // Hardware values are written `{value: 192 MiB, source: "…"}` with optional `range: [a, b]`, `note:`; every read above
  // takes that form too. With require_sources(true) a bare scalar is refused in this mapping and those below.
  Config require_sources(bool required) const;

  // Notes every key of this mapping that was not read, with the closest known one.
  void finish() const;

  // The whole document as YAML after includes and overrides, and with the defaults that were read: what ran.
  std::string resolved() const;

 private:
  struct State;
  Config(std::shared_ptr<State> state, ConfigValue* value, std::string path, bool sources);
  std::shared_ptr<State> state_;
  ConfigValue* value_ = nullptr;
  std::string path_;
  bool sources_ = false;
};

}  // namespace a3sim
