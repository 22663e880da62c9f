#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/core/rng.h"
#include "tests/core/config_text.h"

namespace a3sim {
namespace {

std::string resolved(const std::string& text) {
  const ConfigText result(text);
  INFO(text);
  CHECK(result.errors() == "");
  return result.config.resolved();
}

TEST_CASE("What is resolved holds the defaults that were read, and no key that was only looked for") {
  ConfigText text("a: {x: 1}\n");
  const Config a = text.config.map("a");
  a.integer("x", 0, 9, 5);
  a.integer("n", 0, 9, 5);
  a.number("p", 0, 1, 0.1);
  a.boolean("on", true);
  a.text("name", "it's: so");
  a.choice("kind", {"u", "v"}, "v");
  text.config.map("below").map("deeper").text("t", "");
  text.config.map("empty").map("too");
  text.config.has("looked");
  text.config.texts("none");
  const std::string expected =
      "a:\n  x: 1\n  n: 5\n  p: 0.1\n  on: true\n  name: \"it's: so\"\n  kind: v\n"
      "below:\n  deeper:\n    t: \"\"\n";
  CHECK(text.config.resolved() == expected);
  CHECK(resolved(expected) == expected);
}

TEST_CASE("Defaults under a rule of sources can be read under it again") {
  ConfigText text("");
  CHECK(text.config.with_sources(true).integer("n", 0, 9, 5) == 5);
  CHECK(text.config.resolved() == "n: {value: 5, source: default}\n");
  ConfigText again(text.config.resolved());
  CHECK(again.config.with_sources(true).integer("n", 0, 9) == 5);
  CHECK(again.errors() == "");
}

TEST_CASE("Every shape of document is written so that it reads back the same") {
  for (const std::string text : {"",
                                 "a: null\n",
                                 "a: []\n",
                                 "a: {}\n",
                                 "a: [null, \"\", \"null\", \"Null\", \"NULL\"]\n",
                                 "a:\n  -\n    b: 1\n  - [1, 2]\n  -\n    -\n      c: 1\n",
                                 "\"a b: c\": 1\n",
                                 "a: {value: 1, source: \"x, y\", range: [1, 2]}\n",
                                 "\"null\": \"~\"\n",
                                 "a: -1\n",
                                 "a: \"- 1\"\n",
                                 "a: \"#x\"\n",
                                 "a: \"x #y\"\n",
                                 "a: \"'\"\n",
                                 "a: \"\\\"\\\\\"\n",
                                 "a: \"\\x0a\\x09\\x01\"\n",
                                 "a: \"é\"\n",
                                 "a: \" x\"\n",
                                 "a: \"x \"\n",
                                 "a: \"---\"\n",
                                 "a: \"...\"\n",
                                 "\"?\": \"!\"\n",
                                 "a: \"&x\"\n",
                                 "a: \"%\"\n"}) {
    CHECK(resolved(text) == text);
  }
}

TEST_CASE("Any text survives as key and as value") {
  Rng rng(3);
  const std::string alphabet = "ab01 _-.:,#'\"\\[]{}&*!|>%@`?~=\n\t/()+\x01\x7f";
  for (int i = 0; i < 2000; ++i) {
    std::string word;
    for (std::uint32_t n = rng.below(6); n > 0; --n)
      word += alphabet[rng.below(static_cast<std::uint32_t>(alphabet.size()))];
    ConfigText text("");
    text.config.map("m").text("k" + word, word);
    ConfigText again(text.config.resolved());
    INFO(text.config.resolved());
    REQUIRE(again.errors() == "");
    REQUIRE(again.config.map("m").text("k" + word) == word);
  }
}

TEST_CASE("Values are listed with their paths, lists on one line, without sources, defaults among them") {
  ConfigText text("b: {y: 2 us, z: [p, 'q, r']}\na: {value: 3 B, source: here, range: [1 B, 4 B]}\n");
  text.config.map("b").integer("n", 0, 9, 5);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"b.y", "2 us"}, {"b.z", "[p, \"q, r\"]"}, {"b.n", "5"}, {"a", "3 B"}};
  CHECK(text.config.values() == expected);
}

}  // namespace
}  // namespace a3sim
