#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/core/config_text.h"

namespace a3sim {
namespace {

using Catch::Contains;

std::string resolved(const std::string& text, const std::vector<std::string>& overrides) {
  const ConfigText result(text, overrides);
  CHECK(result.errors() == "");
  return result.config.resolved();
}

std::string errors(const std::string& text, const std::string& override) {
  return ConfigText(text, {override}).errors();
}

TEST_CASE("An override replaces a value, makes a key, and reaches into lists") {
  CHECK(resolved("a: {b: {c: 1}}\n", {"a.b.c=2"}) == "a:\n  b:\n    c: 2\n");
  CHECK(resolved("a: 1\n", {"x.y=2"}) == "a: 1\nx:\n  y: 2\n");
  CHECK(resolved("a:\n", {"a.b=2"}) == "a:\n  b: 2\n");
  CHECK(resolved("a: [1, {b: 2}]\n", {"a.1.b=3", "a.0=4"}) == "a:\n  - 4\n  -\n    b: 3\n");
  CHECK(resolved("", {"a=1"}) == "a: 1\n");
}

TEST_CASE("The value of an override is any YAML, and the last one wins") {
  CHECK(resolved("a: 1\n", {"a=[1, 2]"}) == "a: [1, 2]\n");
  CHECK(resolved("a: 1\n", {"a={b: 2}"}) == "a:\n  b: 2\n");
  CHECK(resolved("a: 1\n", {"a=100 GB/s"}) == "a: 100 GB/s\n");
  CHECK(resolved("a: 1\n", {"a=\"x = y\""}) == "a: \"x = y\"\n");
  CHECK(resolved("a: 1\n", {"a=b=c"}) == "a: \"b=c\"\n");
  CHECK(resolved("a: 1\n", {"a=''"}) == "a: \"\"\n");
  CHECK(resolved("a: 1\n", {" a = 2 ", "a=3"}) == "a: 3\n");
  CHECK(resolved("a: {b: 1}\n", {"a={c: 1}", "a.d=2"}) == "a:\n  c: 1\n  d: 2\n");
}

TEST_CASE("A wrong value in an override is noted at the override") {
  ConfigText text("a: 1\nb: {c: 1}\n", {"a=5", "b.c=x"});
  text.config.integer("a", 0, 1);
  text.config.map("b").integer("c", 0, 1);
  CHECK(text.errors() ==
        "--set:1:3: a: 5 is out of range, expected an integer from 0 to 1\n"
        "--set:2:5: b.c: 'x' is not an integer, expected an integer from 0 to 1\n");
}

TEST_CASE("A misspelt path is an unknown key to who reads the mapping") {
  ConfigText text("a: {ep: 4}\n", {"a.epp=5", "parallell.ep=3"});
  text.config.map("a").integer("ep", 1, 9);
  text.config.map("parallel");
  text.config.finish();
  CHECK(text.errors() ==
        "--set:1:1: a.epp: unknown key; did you mean 'ep'?\n"
        "--set:2:1: parallell: unknown key; did you mean 'parallel'?\n");
}

TEST_CASE("An override that cannot be applied says why") {
  CHECK(errors("", "a") == "--set:1:1: 'a' has no '=', expected path.to.key=value\n");
  CHECK(errors("", "") == "--set:1:1: '' has no '=', expected path.to.key=value\n");
  CHECK_THAT(errors("", "=1"), Contains("an empty key in the path, expected path.to.key=value"));
  CHECK_THAT(errors("", "a..b=1"), Contains("a..b: an empty key in the path"));
  CHECK_THAT(errors("", "a.=1"), Contains("a.: an empty key in the path"));
  CHECK(errors("", "a=") == "--set:1:3: a: no value, expected path.to.key=value\n");
  CHECK(errors("", "a= # nothing") == "--set:1:3: a: no value, expected path.to.key=value\n");
  CHECK_THAT(errors("", "a=[1"),
             Contains("--set:1:3: a mapping or list as a key, or one that is never closed"));
  CHECK_THAT(errors("", "a={b: 1, b: 2}"), Contains("--set:1:10: b: duplicate key"));
  CHECK(errors("a: 5\n", "a.b.c=1") == "--set:1:1: a.b.c: 'a' is the value '5', expected a mapping there\n");
  CHECK(errors("a: [1, 2]\n", "a.2=1") ==
        "--set:1:1: a.2: 'a' is a list of 2, expected a position from 0 to 1 instead of '2'\n");
  CHECK_THAT(errors("a: [1, 2]\n", "a.first=1"), Contains("instead of 'first'"));
  CHECK_THAT(errors("a: []\n", "a.0=1"),
             Contains("'a' is an empty list, expected a list with a position '0'"));
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  CHECK_THAT(errors("", deep + "=1"), Contains("nested too deeply"));
}

}  // namespace
}  // namespace a3sim
