#include "sim/core/message_text.h"

#include <catch2/catch.hpp>

using namespace a3sim;

TEST_CASE("a message is printed as it is, unless a line of it repeats thousands of characters of a file") {
  CHECK(message_text("") == "");
  CHECK(message_text("a.yaml:1:1: one\na.yaml:2:1: two") == "a.yaml:1:1: one\na.yaml:2:1: two");
  CHECK(message_text(std::string(2000, 'x')) == std::string(2000, 'x'));
  const std::string shown =
      message_text("a.csv:1:1: '" + std::string(5'000'000, 'x') + "' is no number\nnext");
  CHECK(shown.size() < 1000);
  CHECK(shown.starts_with("a.csv:1:1: 'xxx"));
  CHECK(shown.find("bytes left out") != std::string::npos);
  CHECK(shown.ends_with("' is no number\nnext"));
  CHECK(message_text("\x1b[31m") == "\\x1b[31m");
}
