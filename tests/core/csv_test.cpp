#include "sim/core/csv.h"

#include <catch2/catch.hpp>

using namespace a3sim;

TEST_CASE("a cell is in quotes only if it holds a comma, a quote or an end of a line") {
  CHECK(csv_cell("plain text") == "plain text");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"a\"") == "\"say \"\"a\"\"\"");
  CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
}

TEST_CASE("a line of quoted cells is split into the texts that it was made of") {
  const std::vector<std::string> texts{"", "a,b", "say \"a\"", "two\nlines", "plain", ""};
  std::string line;
  for (const std::string& text : texts) line += (&text == texts.data() ? "" : ",") + csv_cell(text);
  std::vector<std::string> cells{"what was there before"};
  split_csv(line, cells);
  CHECK(cells == texts);
}

TEST_CASE("a quote is open until the next one that is not doubled") {
  CHECK(has_open_quote("a,\"b"));
  CHECK_FALSE(has_open_quote("a,\"b\""));
  CHECK(has_open_quote("a,\"b\"\""));
}
