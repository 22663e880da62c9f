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

// Returns a cell with its whole value; an empty one as null.
nlohmann::ordered_json cell_json(const Cell& cell);

// The result of an analysis, for people and for programs: facts, tables, sentences, and reports of its
// parts. Text and Markdown show what people see, JSON and CSV all values unrounded.
// || Text has the pieces in their order, with a blank line between two; an empty piece leaves no line. JSON
// is an object of the facts, the keyed sentences, each keyed table as a list of objects, and each part as
// an object. A key with dots, "l2.hits", stands for nested objects; these leave empty cells out, which are
// null elsewhere.
class Report {
 public:
  // Adds a value that only programs see: {"key": value}.
  Report& fact(std::string key, Cell value);
  // Adds sentences, each line with its newline. With a key, programs see them too (without the last
  // newline).
  Report& say(std::string text, std::string key = "");
  // Adds sentences right below the piece before, without a blank line if that shows anything.
  Report& say_on(std::string text, std::string key = "");
  // Adds a table, valid as long as the report. Without a key only people see it. `seen` by programs alone
  // suits data that would fill a screen.
  Table& table(std::string key, std::vector<Column> columns, Audience seen = Audience::kAll);
  // Adds a table right below the piece before, without a blank line if that shows anything.
  Table& table_on(std::string key, std::vector<Column> columns, Audience seen = Audience::kAll);
  // Adds a part under the key, valid as long as the report. Parts with the same key form a list.
  Report& part(std::string key) { return part(std::move(key), Report()); }
  Report& part(std::string key, Report report);
  // Adds the only part under the key: to programs an object, not a list.
  Report& only_part(std::string key, Report report);

  // Prints the first `most` rows of each table, and how many more there are.
  std::string text(std::size_t most = static_cast<std::size_t>(-1)) const;
  std::string markdown() const;
  nlohmann::ordered_json json() const;
  // Calls back for what people see, in its order, also inside parts.
  void each(const std::function<void(const std::string&)>& text,
            const std::function<void(const Table&)>& table) const;
  // Returns the table with this key. Throws std::logic_error if there is none.
  const Table& table(const std::string& key) const;

 private:
  struct Piece {
    std::string key;
    bool directly = false;  // no blank line before it
    Audience seen = Audience::kAll;
    std::string text;
    std::optional<Table> table;
    std::deque<Report> part;  // one, or none
    bool listed = true;       // the part is one of a list
  };
  Piece& add(std::string key);
  std::string joined(bool markdown, std::size_t most) const;

  std::vector<std::pair<std::string, Cell>> facts_;
  std::deque<Piece> pieces_;
};

}  // namespace a3sim
