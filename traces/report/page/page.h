#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "traces/report/figure.h"
#include "traces/report/page/packed_columns.h"
#include "traces/report/report.h"

namespace a3sim {

// Text, tables and figures of a page below a heading.
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
  // What people see of a report, its parts one after the other.
  PageBlocks& report(const Report& report);

  nlohmann::ordered_json json = nlohmann::ordered_json::array();
};

// One HTML file that needs nothing else: data, and the script that shows them (traces/report/web). What it
// holds is text to browsers, never HTML.
class Page {
 public:
  Page(std::string title, std::string subtitle);

  void add(const std::string& title, const PageBlocks& blocks, bool folded = false);
  // A section of a kind of its own, as traces/report/web/src/model.ts has them.
  void add(nlohmann::ordered_json section);
  // What a section says of columns that the page holds.
  nlohmann::ordered_json pack(const PackedColumns& columns);

  std::string html(std::string_view program) const;

 private:
  nlohmann::ordered_json page_;
  std::string packed_;  // HTML elements
  std::size_t parts_ = 0;
};

}  // namespace a3sim
