#pragma once

#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/report/table.h"

namespace a3sim {

// A cell whole; nothing is null.
nlohmann::ordered_json cell_json(const Cell& cell);

// What an analysis has to say, once, for people and for programs: facts, tables, sentences, and reports of
// its parts. Text and Markdown are made of what people see, JSON and CSV of all values whole.
//
// Text: the pieces in their order, a blank line between two; a piece that has nothing to show leaves no
// line. JSON: an object of the facts, of the keyed sentences, of each keyed table as a list of objects, and
// of each part as an object of its own. A key with dots, "l2.hits", stands for objects in objects; these have
// no key where a cell has nothing, which is null elsewhere.
class Report {
 public:
  // Only programs see it: {"key": value}.
  Report& fact(std::string key, Cell value);
  // Sentences, each line with its newline. With a key, programs see them too (without the last newline).
  Report& say(std::string text, std::string key = "");
  // The same on the lines right below the piece before, if that shows anything.
  Report& say_on(std::string text, std::string key = "");
  // The table stays valid as long as the report. Without a key only people see it; `seen` by programs alone:
  // data that would fill a screen.
  Table& table(std::string key, std::vector<Column> columns, Seen seen = Seen::kByAll);
  // The same on the lines right below the piece before, if that shows anything.
  Table& table_on(std::string key, std::vector<Column> columns, Seen seen = Seen::kByAll);
  // A part, under the key; valid as long as the report. Parts with one key are a list.
  Report& part(std::string key) { return part(std::move(key), Report()); }
  Report& part(std::string key, Report report);

  // Of each table the first `most` rows, and how many more there are.
  std::string text(std::size_t most = static_cast<std::size_t>(-1)) const;
  std::string markdown() const;
  nlohmann::ordered_json json() const;
  // What people see, in its order: parts are taken apart.
  void each(const std::function<void(const std::string&)>& text,
            const std::function<void(const Table&)>& table) const;
  // The table with this key. Throws std::logic_error where there is none.
  const Table& table(const std::string& key) const;

 private:
  struct Piece {
    std::string key;
    bool directly = false;  // no blank line before it
    Seen seen = Seen::kByAll;
    std::string text;
    std::optional<Table> table;
    std::deque<Report> part;  // one, or none
  };
  Piece& add(std::string key);
  std::string joined(bool markdown, std::size_t most) const;

  std::vector<std::pair<std::string, Cell>> facts_;
  std::deque<Piece> pieces_;
};

}  // namespace a3sim
