#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/enum_names.h"
#include "sim/core/units.h"
#include "traces/report/table.h"

// The writers and the reader of result.json. Descriptions of rows (saved_rows.h) call one of their
// functions for each value. A dot in a key opens an object. `amount` is a whole number of bytes, or bytes
// per second, kept as a double.
namespace a3sim {

// Collects the columns of a row, for programs only.
class DataColumns {
 public:
  explicit DataColumns(std::vector<Column>& columns) : columns_(columns) {}
  void text(std::string key, const std::string& /*value*/) { add(std::move(key)); }
  void time(std::string key, Duration /*value*/) { add(std::move(key)); }
  void count(std::string key, std::uint64_t /*value*/) { add(std::move(key)); }
  void amount(std::string key, double /*value*/, std::int64_t /*least*/ = 0) { add(std::move(key)); }
  void number(std::string key, double /*value*/, double /*most*/) { add(std::move(key)); }
  template <class Enum>
  void choice(std::string key, Enum /*value*/) {
    add(std::move(key));
  }

 private:
  void add(std::string key) { columns_.push_back(Column::data(std::move(key))); }
  std::vector<Column>& columns_;
};

// Collects the cells of a row, in the order of these columns.
class DataCells {
 public:
  explicit DataCells(std::vector<Cell>& cells) : cells_(cells) {}
  void text(const std::string& /*key*/, const std::string& value) { cells_.emplace_back(value); }
  void time(const std::string& /*key*/, Duration value) { cells_.emplace_back(value); }
  void count(const std::string& /*key*/, std::uint64_t value) { cells_.push_back(whole(value)); }
  void amount(const std::string& /*key*/, double value, std::int64_t /*least*/ = 0) {
    cells_.emplace_back(static_cast<std::int64_t>(value));
  }
  void number(const std::string& /*key*/, double value, double /*most*/) { cells_.emplace_back(value); }
  template <class Enum>
  void choice(const std::string& /*key*/, Enum value) {
    cells_.emplace_back(std::string(name_of(value)));
  }

 private:
  std::vector<Cell>& cells_;
};

// Writes the values of an object. Its keys have no dots.
class JsonValues {
 public:
  explicit JsonValues(nlohmann::ordered_json& json) : json_(json) {}
  void time(const std::string& key, Duration value) { json_[key] = value.count(); }
  void amount(const std::string& key, double value, std::int64_t /*least*/ = 0) {
    json_[key] = static_cast<std::int64_t>(value);
  }

 private:
  nlohmann::ordered_json& json_;
};

// Reads the values of an object. Reports where one is missing or wrong.
class ConfigValues {
 public:
  explicit ConfigValues(Config config) : config_(std::move(config)) {}
  void text(const std::string& key, std::string& value) { value = config_.text(key); }
  void time(const std::string& key, Duration& value) {
    const auto [object, name] = place(key);
    value = Duration(object.integer(name, 0, kMostTime));
  }
  template <class Number>
  void count(const std::string& key, Number& value) {
    const auto [object, name] = place(key);
    constexpr std::int64_t kMost =
        sizeof(Number) < sizeof(std::uint64_t) ? std::int64_t{1} << 16 : kMostBytes;
    value = static_cast<Number>(object.integer(name, 0, kMost));
  }
  void amount(const std::string& key, double& value, std::int64_t least = 0) {
    const auto [object, name] = place(key);
    value = static_cast<double>(object.integer(name, least, kMostBytes));
  }
  void number(const std::string& key, double& value, double most) {
    const auto [object, name] = place(key);
    value = object.number(name, 0, most);
  }
  template <class Enum>
  void choice(const std::string& key, Enum& value) {
    value = config_.choice<Enum>(key);
  }

 private:
  static constexpr std::int64_t kMostTime = std::int64_t{1} << 50;  // picoseconds; no run takes longer
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 61;

  struct Place {
    Config object;
    std::string name;
  };
  Place place(const std::string& key) const {
    Place at{config_, key};
    for (std::size_t dot = at.name.find('.'); dot != std::string::npos; dot = at.name.find('.')) {
      at.object = at.object.map(at.name.substr(0, dot));
      at.name.erase(0, dot + 1);
    }
    return at;
  }
  Config config_;
};

}  // namespace a3sim
