#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/core/config_text.h"

namespace a3sim {
namespace {

TEST_CASE("Every scalar may be written with its source") {
  ConfigText text(
      "count: {value: 25, source: paper, range: [24, 25], note: why}\n"
      "rate: {value: 1.5 TB/s, source: measured, range: [1400 GB/s, 1.6 TB/s]}\n"
      "time: {value: 1.1 us, source: s}\n"
      "flow: {value: 110 B/cycle, source: s}\n"
      "name: {value: a3, source: s}\n"
      "on: {value: true, source: s}\n"
      "kind: {value: b, source: s}\n");
  const Config c = text.config.with_sources(true);
  CHECK(c.integer("count", 1, 64) == 25);
  CHECK(c.rate("rate").count == 1'500'000'000'000);
  CHECK(c.duration("time") == 1100_ns);
  CHECK(c.per_cycle("flow", "B") == 110);
  CHECK(c.text("name") == "a3");
  CHECK(c.boolean("on", false));
  CHECK(c.choice("kind", {"a", "b"}) == 1);
  c.finish();
  CHECK(text.errors() == "");
}

TEST_CASE("Where values have sources, one without says so, below too") {
  ConfigText text("a: 1\nb: {value: 2}\nc: {value: 3, source: ''}\nd: {e: 4}\nf: 5\n");
  const Config c = text.config.with_sources(true);
  for (const char* key : {"a", "b", "c"}) c.integer(key, 0, 9);
  c.map("d").integer("e", 0, 9);
  c.with_sources(false).integer("f", 0, 9);
  CHECK(text.errors() == "f.yaml:3:23: c.source: '', expected a text\n");
  std::string found;
  for (const SourcedValue& value : c.sourced()) found += value.path + ' ' + value.source + '\n';
  CHECK(found == "a not stated\nb \nc \nd.e not stated\n");
}

TEST_CASE("A value lies in its range, ends included, and the range is one") {
  ConfigText text(
      "low: {value: 24, range: [24, 25]}\n"
      "high: {value: 25, range: [24, 25]}\n"
      "above: {value: 26, range: [24, 25]}\n"
      "below: {value: 23, range: [24, 25]}\n"
      "turned: {value: 24, range: [25, 24]}\n"
      "one: {value: 24, range: [24]}\n"
      "scalar: {value: 24, range: 24}\n"
      "unit: {value: 24, range: [24, 1 us]}\n"
      "limits: {value: 24, range: [24, 65]}\n"
      "name: {value: a, range: [a, b]}\n");
  for (const char* key : {"low", "high", "above", "below", "turned", "one", "scalar", "unit", "limits"}) {
    text.config.integer(key, 0, 64);
  }
  text.config.text("name");
  CHECK(text.errors() ==
        "f.yaml:3:16: above: '26' is outside of its range, expected from 24 to 25\n"
        "f.yaml:4:16: below: '23' is outside of its range, expected from 24 to 25\n"
        "f.yaml:5:28: turned.range: '25' is above '24', expected [lowest, highest]\n"
        "f.yaml:6:25: one.range: not two values, expected [lowest, highest]\n"
        "f.yaml:7:28: scalar.range: not two values, expected [lowest, highest]\n"
        "f.yaml:8:31: unit.range: '1 us' is not an integer, expected an integer from 0 to 64\n"
        "f.yaml:9:33: limits.range: 65 is out of range, expected an integer from 0 to 64\n"
        "f.yaml:10:25: name.range: a range, expected none for a value that has no order\n");
}

TEST_CASE("Keys beside the value that mean nothing are refused") {
  ConfigText text("a: {value: 1, sorce: paper}\nb: {vale: 1, source: paper}\nc: {value: [1], source: s}\n");
  for (const char* key : {"a", "b", "c"}) text.config.integer(key, 0, 9);
  text.config.finish();
  CHECK(text.errors() ==
        "f.yaml:1:15: a.sorce: unknown key; did you mean 'source'?\n"
        "f.yaml:2:4: b: a mapping without 'value', expected an integer from 0 to 9\n"
        "f.yaml:3:12: c.value: a list, expected an integer from 0 to 9\n");
}

TEST_CASE("The values with sources can be listed with their ranges") {
  ConfigText text(
      "hw:\n"
      "  clock: {value: 1 GHz, source: a}\n"
      "  list: [{x: {value: 2, source: b, range: [1, 3], note: n}}]\n"
      "  bare: 1\n");
  const std::vector<SourcedValue> values = text.config.sourced();
  REQUIRE(values.size() == 2);
  CHECK(values[0].path == "hw.clock");
  CHECK(values[0].value == "1 GHz");
  CHECK(values[0].low == "");
  CHECK(values[1].path == "hw.list.0.x");
  CHECK(values[1].source == "b");
  CHECK(values[1].note == "n");
  CHECK(values[1].low == "1");
  CHECK(values[1].high == "3");
  CHECK(values[1].mark.text() == "f.yaml:3:14");
  CHECK(text.config.map("hw").sourced().size() == 2);
}

TEST_CASE("A fitted value says so, and has the range that it was fitted in") {
  ConfigText text(
      "a: {value: 1, source: s, range: [1, 2], fitted: true}\n"
      "b: {value: 1, source: s, range: [1, 2], fitted: false}\n"
      "c: {value: 1, source: s, fitted: true}\n"
      "d: {value: 1, source: s, range: [1, 2], fitted: yes}\n");
  const Config c = text.config.with_sources(true);
  for (const char* key : {"a", "b", "c", "d"}) CHECK(c.integer(key, 0, 9) == 1);
  c.finish();
  CHECK(text.errors() ==
        "f.yaml:3:34: c.fitted: true, expected a range beside it that the value is fitted in\n"
        "f.yaml:4:49: d.fitted: 'yes' is not a boolean, expected true or false\n");
  const std::vector<SourcedValue> values = c.sourced();
  REQUIRE(values.size() == 4);
  CHECK(values[0].fitted);
  CHECK(!values[1].fitted);
  CHECK(values[0].value_mark.text() == "f.yaml:1:12");
}

TEST_CASE("A value from the command line is its own source, for a second reader too") {
  ConfigText text("a: {value: 1, source: paper, range: [1, 2]}\n", {"a=7", "b=8"});
  const Config c = text.config.with_sources(true);
  CHECK(c.integer("a", 0, 9) == 7);
  CHECK(c.integer("a", 0, 9) == 7);
  CHECK(c.integer("b", 0, 9) == 8);
  c.finish();
  CHECK(text.errors() == "");
  CHECK(text.config.resolved() == "a: {value: 7, source: \"--set\"}\nb: {value: 8, source: \"--set\"}\n");
}

}  // namespace
}  // namespace a3sim
