#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "tests/core/config_text.h"

namespace a3sim {
namespace {

using Catch::Contains;
using Texts = std::vector<std::string>;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// What reading `key: text` as an integer notes, without its place.
template <class Read>
std::string read_error(const std::string& value, const Read& read) {
  ConfigText text("key: " + value + "\n");
  read(text.config);
  const std::string place = "f.yaml:1:6: key: ", errors = text.errors();
  if (errors.empty()) return "";
  REQUIRE(errors.substr(0, place.size()) == place);
  return errors.substr(place.size(), errors.size() - place.size() - 1);
}

TEST_CASE("An integer is decimal digits, not what YAML 1.1 would make of them") {
  ConfigText text("a: 4096\nb: -1\nc: 0\nd: 9223372036854775807\ne: -9223372036854775808\nf: \"12\"\n");
  CHECK(text.config.integer("a", 1, 4096) == 4096);
  CHECK(text.config.integer("b", -1, 1) == -1);
  CHECK(text.config.integer("c", 0, 0) == 0);
  CHECK(text.config.integer("d", 0, kMost) == kMost);
  CHECK(text.config.integer("e", -kMost - 1, kMost) == -kMost - 1);
  CHECK(text.config.integer("f", 0, 12) == 12);
  CHECK(text.errors() == "");
  const auto read = [](const Config& config) { config.integer("key", 1, 64); };
  CHECK(read_error("010", read) == "'010' has a leading zero, expected an integer from 1 to 64");
  for (const std::string wrong : {"0x10", "1e1", "1.0", "+1", "1_000", "yes", "1 2", "--", "١"}) {
    CHECK(read_error(wrong, read) == "'" + wrong + "' is not an integer, expected an integer from 1 to 64");
  }
  for (const std::string wrong : {"0", "65", "-1", "9223372036854775808", "99999999999999999999999999"}) {
    CHECK(read_error(wrong, read) == wrong + " is out of range, expected an integer from 1 to 64");
  }
}

TEST_CASE("A number is decimal and finite") {
  ConfigText text("a: 0.5\nb: -2.5e-3\nc: 7\nd: 1E+2\n");
  constexpr double kHuge = std::numeric_limits<double>::max();
  CHECK(text.config.number("a", 0, 1) == 0.5);
  CHECK(text.config.number("b", -1, 1) == -0.0025);
  CHECK(text.config.number("c", 0, 7) == 7);
  CHECK(text.config.number("d", 0, kHuge) == 100);
  CHECK(text.errors() == "");
  const auto read = [](const Config& config) { config.number("key", 0, kHuge); };
  for (const std::string wrong : {".nan", "nan", "inf", ".inf", "1.", ".5", "0x1p3", "1e", "1,5", "1.5 x"}) {
    CHECK(read_error(wrong, read) == "'" + wrong + "' is not a number, expected a number of at least 0");
  }
  for (const std::string wrong : {"1e999", "-0.1"})
    CHECK_THAT(read_error(wrong, read), Contains("is out of range"));
  ConfigText zero("a: -0.0\n");
  CHECK_FALSE(std::signbit(zero.config.number("a", 0, 1)));
}

TEST_CASE("A boolean is true or false") {
  ConfigText text("a: true\nb: false\n");
  CHECK(text.config.boolean("a", false));
  CHECK_FALSE(text.config.boolean("b", true));
  CHECK(text.config.boolean("absent", true));
  CHECK(text.errors() == "");
  for (const std::string wrong : {"yes", "on", "True", "1", "y"}) {
    CHECK(read_error(wrong, [](const Config& c) { c.boolean("key", false); }) ==
          "'" + wrong + "' is not a boolean, expected true or false");
  }
}

TEST_CASE("A text is kept letter by letter") {
  ConfigText text("a: 010\nb: 'it''s'\nc: \"tab\\t\"\nd: no\ne: a b  c\nf: \"\"\n");
  CHECK(text.config.text("a") == "010");
  CHECK(text.config.text("b") == "it's");
  CHECK(text.config.text("c") == "tab\t");
  CHECK(text.config.text("d") == "no");
  CHECK(text.config.text("e") == "a b  c");
  CHECK(text.config.text("f") == "");
  CHECK(text.errors() == "");
}

TEST_CASE("A choice is one of the names, and a misspelt one gets the nearest") {
  ConfigText text("a: vector\n");
  CHECK(text.config.choice("a", {"cube", "vector"}) == 1);
  CHECK(text.config.choice("absent", {"cube", "vector"}, "vector") == 1);
  CHECK(text.errors() == "");
  const auto read = [](const Config& config) { config.choice("key", {"cube", "vector"}); };
  CHECK(read_error("vectro", read) == "'vectro', expected one of cube, vector; did you mean 'vector'?");
  CHECK(read_error("host", read) == "'host', expected one of cube, vector");
}

TEST_CASE("Lists of texts and of mappings") {
  ConfigText text("a: [x, 1 us, '']\nb: [{k: 1}, {k: 2}]\n");
  CHECK(text.config.texts("a") == Texts{"x", "1 us", ""});
  const std::vector<Config> maps = text.config.maps("b");
  REQUIRE(maps.size() == 2);
  CHECK(maps[0].integer("k", 0, 9) == 1);
  CHECK(maps[1].integer("k", 0, 9) == 2);
  CHECK(maps[1].path("k") == "b.1.k");
  CHECK(text.config.texts("absent").empty());
  CHECK(text.config.maps("absent").empty());
  text.config.finish();
  CHECK(text.errors() == "");
}

TEST_CASE("A value of the wrong kind is named with what was expected") {
  ConfigText text("a: [1]\nb: {k: 1}\nc:\nd: 5\ne: [x, [y]]\nf: [{k: 1}, 2]\n");
  text.config.integer("a", 0, 9);
  text.config.bytes("b");
  text.config.text("c");
  text.config.map("d").map("below").text("never missed");
  text.config.texts("e");
  text.config.maps("f")[0].integer("k", 0, 1);
  text.config.maps("d");
  text.config.texts("b");
  CHECK(text.errors() ==
        "f.yaml:1:4: a: a list, expected an integer from 0 to 9\n"
        "f.yaml:2:4: b: a mapping without 'value', expected a size such as '192 MiB'\n"
        "f.yaml:2:4: b: a mapping, expected a list\n"
        "f.yaml:3:1: c: nothing, expected a text\n"
        "f.yaml:4:4: d: '5', expected a mapping\n"
        "f.yaml:4:4: d: '5', expected a list of mappings\n"
        "f.yaml:5:8: e.1: a list, expected a text\n"
        "f.yaml:6:13: f.1: '2', expected a mapping\n");
}

TEST_CASE("A missing key is noted at its mapping, and reading goes on with harmless values") {
  ConfigText text("a:\n  k: 1\n");
  const Config a = text.config.map("a");
  CHECK(a.integer("count", 3, 9) == 3);
  CHECK(a.bytes("size").count == 1);
  CHECK(a.rate("rate").count == 1);
  CHECK(a.per_cycle("flow", "B") > 0);
  CHECK(text.config.map("nowhere").frequency("clock").count == 1);
  CHECK(text.errors() ==
        "f.yaml:1:1: nowhere.clock: missing, expected a frequency such as '1850 MHz'\n"
        "f.yaml:2:3: a.count: missing, expected an integer from 3 to 9\n"
        "f.yaml:2:3: a.size: missing, expected a size such as '192 MiB'\n"
        "f.yaml:2:3: a.rate: missing, expected a rate such as '1.6 TB/s'\n"
        "f.yaml:2:3: a.flow: missing, expected a positive number such as '64 B/cycle'\n");
}

TEST_CASE("Every key that nobody read is noted, with the nearest that somebody asked for") {
  ConfigText text("clok: 1 GHz\nmodel: {hiden: 1, x: {y: 1}}\nlist: [{a: 1, b: 2}]\nnone: {c: 1}\n");
  text.config.map("model").integer("hidden", 1, 9, 1);
  text.config.maps("list")[0].integer("a", 0, 9);
  text.config.has("clock");
  text.config.map("none");
  text.config.finish();
  text.config.finish();
  CHECK(text.errors() ==
        "f.yaml:1:1: clok: unknown key; did you mean 'clock'?\n"
        "f.yaml:2:9: model.hiden: unknown key; did you mean 'hidden'?\n"
        "f.yaml:2:19: model.x: unknown key; known: hidden\n"
        "f.yaml:3:15: list.0.b: unknown key; known: a\n"
        "f.yaml:4:8: none.c: unknown key, expected none here\n");
}

TEST_CASE("Errors are thrown together, in the order of the file, and each once") {
  ConfigText text("a: x\nb: y\n");
  text.config.integer("b", 0, 1);
  text.config.integer("a", 0, 1);
  text.config.integer("b", 0, 1);
  const std::string expected =
      "f.yaml:1:4: a: 'x' is not an integer, expected an integer from 0 to 1\n"
      "f.yaml:2:4: b: 'y' is not an integer, expected an integer from 0 to 1";
  CHECK_THROWS_WITH(text.diagnostics.throw_if_any(), expected);
  CHECK_THROWS_AS(text.diagnostics.throw_if_any(), InputError);
  CHECK_NOTHROW(Diagnostics().throw_if_any());
}

TEST_CASE("What stands in a configuration can be asked without reading it") {
  ConfigText text("b: 1\na: {c: 2}\nn:\n");
  text.config.integer("default", 0, 9, 5);
  CHECK(text.config.keys() == Texts{"b", "a", "n"});
  CHECK(text.config.has("n"));
  CHECK_FALSE(text.config.has("default"));
  CHECK(text.config.mark("a").text() == "f.yaml:2:4");
  CHECK(text.config.map("a").path("c") == "a.c");
  CHECK(text.config.mark("absent").text() == "f.yaml:1:1");
}

}  // namespace
}  // namespace a3sim
