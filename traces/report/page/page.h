#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "traces/report/figure.h"
#include "traces/report/report.h"

namespace a3sim {

// Packs columns of whole numbers for a page, small and exact. Each value is written as the difference to
// the one above it, or as it is, with the sign in the lowest bit, seven bits per byte, the lowest first
// (traces/report/web/src/model.ts reads it). Values must lie within 2^53 of zero, the range of JavaScript's
// numbers.
class PackedColumns {
 public:
  explicit PackedColumns(std::size_t rows) : rows_(rows) {}

  // Adds a column with `value(row)` for each row.
  template <class Value>
  void add(std::string name, Value&& value) {
    names_.push_back(std::move(name));
    std::int64_t before = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto now = static_cast<std::int64_t>(value(row));
      append(now - before);
      before = now;
    }
  }
  // The same for a column in which values repeat more than their differences do: these pack better as they are.
  template <class Value>
  void add_repeating(std::string name, Value&& value) {
    repeating_.push_back(name);
    names_.push_back(std::move(name));
    for (std::size_t row = 0; row < rows_; ++row) append(static_cast<std::int64_t>(value(row)));
  }

  std::size_t rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& repeating() const {
    return repeating_;
  }  // those that are written as they are
  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::int64_t number);

  std::size_t rows_;
  std::vector<std::string> names_, repeating_;
  std::string bytes_;
};

// Encodes bytes as text that HTML and JSON take unchanged.
std::string base64(std::string_view bytes);

// Text, tables and figures of a page under one heading.
class PageBlocks {
 public:
  struct Card {
    std::string label, value, note;
  };
  PageBlocks& cards(const std::vector<Card>& cards);
  PageBlocks& say(const std::string& text);
  PageBlocks& verdict(const std::string& text);
  PageBlocks& code(const std::string& text);
  PageBlocks& table(const Table& table);
  PageBlocks& figure(const Figure& figure);
  // Adds what people see of a report, part by part.
  PageBlocks& report(const Report& report);

  nlohmann::ordered_json json = nlohmann::ordered_json::array();
};

// An HTML file that needs no other file: data, and the script that shows them (traces/report/web). Browsers
// treat its data as text, never as HTML.
class Page {
 public:
  Page(std::string title, std::string subtitle);

  void add(const std::string& title, const PageBlocks& blocks, bool folded = false);
  // Adds a section of one of the kinds in traces/report/web/src/model.ts.
  void add(nlohmann::ordered_json section);
  // Stores columns in the page. Returns the value by which a section refers to them.
  nlohmann::ordered_json pack(const PackedColumns& columns);
  // Stores a text in the page, compressed. Returns the id of its element.
  std::string pack(std::string_view text);

  std::string html(std::string_view program) const;

 private:
  nlohmann::ordered_json page_;
  std::string packed_;  // HTML elements
  std::size_t parts_ = 0;
};

}  // namespace a3sim
