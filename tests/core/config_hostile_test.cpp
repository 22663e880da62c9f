#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/core/rng.h"
#include "tests/core/config_text.h"

namespace a3sim {
namespace {

using Catch::Contains;

std::string errors(const std::string& text) { return ConfigText(text).errors(); }

std::string repeated(const std::string& text, int times, const std::string& before = "") {
  std::string all = before;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("Duplicate keys are found at every level, with the place of the first") {
  CHECK(errors("a: 1\nb:\n  c: {d: 1, d: 2}\n  e: [x, {f: 1, f: 2}]\na: {a: 1}\n") ==
        "f.yaml:3:13: b.c.d: duplicate key, expected once; first at line 3\n"
        "f.yaml:4:17: b.e.1.f: duplicate key, expected once; first at line 4\n"
        "f.yaml:5:1: a: duplicate key, expected once; first at line 1\n");
}

TEST_CASE("What a duplicate key holds is read as well") {
  std::string entries;
  for (int i = 0; i < 40; ++i) entries += ", k" + std::to_string(i) + ": {x: [1, 2, 3]}";
  CHECK(errors("a: 1\na: {b: 1" + entries + ", b: 2}\n") ==
        "f.yaml:2:1: a: duplicate key, expected once; first at line 1\n" +
            ("f.yaml:2:" + std::to_string(11 + entries.size())) +
            ": a.b: duplicate key, expected once; first at line 2\n");
}

TEST_CASE("YAML that means more than it says is refused") {
  CHECK(errors("a: &x 1\n") == "f.yaml:1:4: anchors (&name) are not supported, expected the value itself\n");
  CHECK_THAT(errors("a: &x {b: 1}\n"), Contains("anchors"));
  CHECK_THAT(errors("&x a: 1\n"), Contains("anchors"));
  CHECK_THAT(errors("a: *x\n"), Contains("f.yaml:1:4: broken YAML"));
  CHECK_THAT(errors("a: !!int 3\n"), Contains("tags (tag:yaml.org,2002:int) are not supported"));
  CHECK_THAT(errors("a: !mine {b: 1}\n"), Contains("tags (!mine) are not supported"));
  CHECK_THAT(errors("? [a, b]\n: 1\n"), Contains("f.yaml:1:3: a mapping or list as a key"));
  CHECK_THAT(errors(": 1\n"), Contains("an empty key, expected a name"));
  CHECK_THAT(errors("~: 1\n"), Contains("an empty key, expected a name"));
}

TEST_CASE("A word of thousands of letters does not make a message of thousands") {
  ConfigText number("a: " + repeated("\u00e9", 2500) + "\n");
  number.config.integer("a", 0, 9);
  CHECK_THAT(number.errors(), Contains("f.yaml:1:4: a: 'é") && Contains("… (5002 bytes) is not an integer"));
  CHECK(number.errors().size() < 200);
  const std::string path = "a_path_of_200_letters_" + repeated("x", 178);
  ConfigText whole("a: " + path + "\n");
  whole.config.integer("a", 0, 9);
  CHECK_THAT(whole.errors(), !Contains("…"));
}

TEST_CASE("Every escape gives UTF-8, which writes back") {
  ConfigText text("a: \"\\N\\_\\u00e9\\x41\"\n");
  CHECK(text.config.text("a") ==
        "\xC2\x85\xC2\xA0\xC3\xA9"
        "A");
  ConfigText again(text.config.resolved());
  CHECK(again.config.text("a") == text.config.text("a"));
  CHECK(again.errors() == "");
}

TEST_CASE("A key is no longer than what can be written back on the line of its value") {
  // An escape of four characters for each byte.
  const auto file = [](std::size_t bytes) { return "? \"" + repeated("\\t", bytes) + "\"\n: {k: 1}\n"; };
  CHECK(errors(file(250)) == "");
  Diagnostics diagnostics;
  const std::string written = Config::parse(file(250), "f.yaml", {}, diagnostics).resolved();
  CHECK(Config::parse(written, "again.yaml", {}, diagnostics).resolved() == written);
  CHECK(diagnostics.empty());
  CHECK_THAT(errors(file(251)), Contains("f.yaml:1:3: a key of 251 bytes, expected at most 250"));
}

TEST_CASE("A file holds one document") {
  CHECK(errors("---\na: 1\n...\n") == "");
  CHECK_THAT(errors("a: 1\n---\nb: 2\n"), Contains("does not belong to the document before it"));
  CHECK_THAT(errors("{a: 1}\nb: 2\n"), Contains("f.yaml:2:1: what stands here does not belong"));
}

TEST_CASE("Line ends and a byte order mark of other systems do no harm") {
  ConfigText text(
      "\xEF\xBB\xBF"
      "a: x\r\nb:\r\n  c: 1\r\n");
  CHECK(text.config.text("a") == "x");
  text.config.map("b").integer("c", 5, 9);
  CHECK(text.errors() == "f.yaml:3:6: b.c: 1 is out of range, expected an integer from 5 to 9\n");
}

TEST_CASE("Tabs in the indentation are refused where they stand, others are not") {
  CHECK(errors("a:\n\tb: 1\n") == "f.yaml:2:1: a tab in the indentation, expected spaces\n");
  CHECK(errors("a:\n  \tb: 1\n") == "f.yaml:2:3: a tab in the indentation, expected spaces\n");
  CHECK(errors("a:\t1\n# x\ty\n") == "");
}

TEST_CASE("What is no text is refused at its first wrong byte") {
  CHECK(errors(std::string("a: \0\n", 5)) == "f.yaml:1:4: control character 0x00, expected a text file\n");
  CHECK(errors("a: 1\nb: \x04\n") == "f.yaml:2:4: control character 0x04, expected a text file\n");
  CHECK(errors("a: 1\rb: 2\n") == "f.yaml:1:5: control character 0x0d, expected a text file\n");
  for (const std::string wrong :
       {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF\xFE", "\xE2\x82"}) {
    CHECK(errors("a: " + wrong) == "f.yaml:1:4: not UTF-8, expected a text file\n");
  }
  for (const std::string right : {"é", "€", "𝄞", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    CHECK(errors("a: " + right) == "");
}

// yaml-cpp 0.7 takes an open quote for closed where the text
// ends with a line end, and swallows the rest of the file.
TEST_CASE("A quote that is never closed is an error") {
  for (const std::string open : {"a: \"x", "a: \"x\n", "a: 'x\nb: 1\n", "a: {b: \"x}\n", "a: 'x\n\n\n"}) {
    CHECK_THAT(errors(open), Contains("broken YAML"));
  }
  CHECK(errors("a: 'x'\nb: |\n  y\n") == "");
}

TEST_CASE("Broken YAML is told with its place and how far it went") {
  CHECK(errors("a: 1\nb: [1, 2\n") ==
        "f.yaml:3:1: broken YAML: end of sequence flow not found; it was readable up to line 2\n");
  CHECK(errors("a: 1\n b: 2\n") ==
        "f.yaml:2:3: broken YAML: illegal map value; it was readable up to line 1\n");
  CHECK_THAT(errors("a: \"\\q\"\n"), Contains("unknown escape character"));
}

TEST_CASE("Nesting has an end") {
  constexpr int kDeep = 10'000;
  CHECK(errors(repeated("[", 63, "a: ") + repeated("]", 63)) == "");
  CHECK_THAT(errors(repeated("[", 64, "a: ") + repeated("]", 64)),
             Contains("nested too deeply, expected at most 64"));
  const std::string maps = repeated("{a: ", kDeep, "a: ");
  CHECK_THAT(errors(maps + repeated("}", kDeep)), Contains("nested too deeply"));
  for (const std::string step : {"[", "{a: ", "[a: "}) {
    CHECK_THAT(errors(repeated(step, kDeep)), Contains("never closed"));
  }
  CHECK_THAT(errors(repeated("- ", kDeep)), Contains("nested too deeply"));
  CHECK_THAT(errors(repeated("? ", kDeep)), Contains("as a key"));
  std::string block;
  for (int i = 0; i < 100; ++i) block.append(static_cast<std::size_t>(i), ' ').append("a:\n");
  CHECK_THAT(errors(block), Contains("nested too deeply"));
}

TEST_CASE("Large documents are read in time that grows with them") {
  constexpr int kMany = 20'000;
  std::string keys;
  for (int i = 0; i < kMany; ++i) keys.append("k").append(std::to_string(i)).append(": 1\n");
  ConfigText text(keys);
  CHECK(text.config.keys().size() == kMany);
  text.config.finish();
  CHECK(text.diagnostics.messages().size() == kMany);
  CHECK(ConfigText(repeated("a: 1\n", kMany)).diagnostics.messages().size() == kMany - 1);
  CHECK(ConfigText(repeated("1, ", kMany, "a: [") + "]").config.texts("a").size() == kMany);
  CHECK(errors(repeated("9", 100'000, "a: ") + "\n") == "");
}

TEST_CASE("Empty documents are configurations without keys") {
  for (const std::string text :
       {"", "\n", "# only a comment\n", "---\n", "---\n...\n", "{}", "\xEF\xBB\xBF"}) {
    CHECK(ConfigText(text).errors() == "");
    CHECK(ConfigText(text).config.keys().empty());
  }
}

// Reads everything as everything.
void read_all(const Config& config, int depth) {
  for (const std::string& key : config.keys()) {
    config.integer(key, 1, 9, 1);
    config.number(key, 0, 1, 0);
    config.duration(key);
    config.per_cycle(key, "B");
    config.texts(key);
    if (depth > 0) read_all(config.map(key), depth - 1);
    for (const Config& item : config.maps(key)) item.with_sources(true).rate("rate");
  }
  config.finish();
}

TEST_CASE("Mangled configurations never do worse than errors, and what is read writes back") {
  const std::string seed =
      "include: []\nhw:\n  clock: {value: 1 GHz, source: \"x: y\", range: [1 GHz, 2 GHz]}\n  n: 25\n"
      "list:\n  - {a: 1, b: [1.5, true]}\n  - c: 'it''s'\n    d: |\n      text\nquoted: \"\\u00e9\\n\"\n";
  const std::string alphabet =
      ":-[]{},'\"\n \t#&*!|>%@`?~\\\xC3\xA9"
      "a0.";
  Rng rng(7);
  for (int i = 0; i < 3000; ++i) {
    std::string text = seed;
    for (std::uint32_t n = 1 + rng.below(5); n > 0; --n) {
      const std::uint32_t at = rng.below(static_cast<std::uint32_t>(text.size()));
      const char c = alphabet[rng.below(static_cast<std::uint32_t>(alphabet.size()))];
      if (rng.below(3) == 0)
        text.erase(at, 1 + rng.below(4));
      else if (rng.below(2) == 0)
        text[at] = c;
      else
        text.insert(at, 1, c);
    }
    ConfigText broken(text);
    if (broken.errors().empty()) {
      const std::string once = broken.config.resolved();
      INFO(text << "\n=====\n" << once);
      ConfigText again(once);
      REQUIRE(again.errors() == "");
      REQUIRE(again.config.resolved() == once);
    }
    read_all(broken.config, 4);
  }
}

}  // namespace
}  // namespace a3sim
