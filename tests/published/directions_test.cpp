#include "sim/published/directions.h"

#include <catch2/catch.hpp>

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/published/direction_turns.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Json = nlohmann::ordered_json;

Json schedule(const char* name) { return {{"schedule", name}}; }

PublishedTable table_of_directions() {
  PublishedTable table;
  table.directions = {{"a over c", "someone", schedule("a"), schedule("c"), 2, "a is slow here"},
                      {"b over c", "someone", schedule("b"), schedule("c"), 1.5, "b is slow here"},
                      {"d over c", "someone", schedule("d"), schedule("c"), 3, ""}};
  return table;
}

Comparison latency_of(const char* name, double value) {
  Comparison one;
  one.point.coordinates = schedule(name);
  one.point.metric = "latency";
  one.point.value = value;
  return one;
}

}  // namespace

TEST_CASE(
    "A direction holds if the predicted ratio is on the published side of 1, and cases that are absent have "
    "none") {
  const PublishedTable table = table_of_directions();
  const std::vector<DirectionVerdict> verdicts =
      direction_verdicts(table, {latency_of("a", 10), latency_of("b", 5), latency_of("c", 8)});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].predicted == 8.0 / 10);
  CHECK_FALSE(verdicts[0].holds());
  CHECK(verdicts[1].predicted == 8.0 / 5);
  CHECK(verdicts[1].holds());
}

TEST_CASE("Directions are placed by how large their ratios are, as published and as predicted") {
  const PublishedTable table = table_of_directions();
  const std::vector<Comparison> predicted = {latency_of("a", 10), latency_of("b", 5), latency_of("c", 8)};
  const std::vector<DirectionVerdict> verdicts = direction_verdicts(table, predicted);
  CHECK(verdicts[0].published_place == 1);
  CHECK(verdicts[0].predicted_place == 2);
  CHECK(verdicts[1].published_place == 2);
  CHECK(verdicts[1].predicted_place == 1);
  CHECK_THAT(directions_text(table, predicted),
             Contains("Why not: a over c: a is slow here") && Contains("Why not: b over c: b is slow here"));
  CHECK_THAT(directions_text(table, {latency_of("b", 5), latency_of("c", 8)}), !Contains("Why not"));
}

TEST_CASE("Every direction of the table of presets names two of its cases") {
  const PublishedTable table = read_published_table(configs_folder(), "presets");
  REQUIRE_FALSE(table.directions.empty());
  for (const PublishedDirection& direction : table.directions) {
    INFO(direction.what);
    for (const Json& named : {direction.faster, direction.than}) {
      Json coordinates = named;
      coordinates.erase("pass");
      CHECK(std::ranges::any_of(table.cases, [&](const PublishedCase& one) {
        return same_coordinates(one.coordinates, coordinates);
      }));
    }
  }
}

TEST_CASE("What may turn a direction is read as overrides, and what it becomes is told beside what it is") {
  Diagnostics diagnostics;
  const Config direction = Config::parse(
      "turned_by: [{set: {hardware.clock: 2 GHz}}, {set: {experiment.columns: 1, cut.sources: 0}}]", "text",
      {}, diagnostics);
  const std::vector<std::vector<std::string>> turns = read_turns(direction, ".");
  diagnostics.throw_if_any();
  REQUIRE(turns.size() == 2);
  CHECK(turns[0] == std::vector<std::string>{"hardware.clock=2 GHz"});
  CHECK(turns[1] == std::vector<std::string>{"experiment.columns=1", "cut.sources=0"});

  const PublishedTable table = table_of_directions();
  CHECK(turns_text({{&table.directions[0], turns[0], 0.8, 2.25, 1, 3, true}}) ==
        "a over c: 0.80x here; with hardware.clock=2 GHz it is 2.25x, place 1 of 3: as published\n");
  CHECK(turns_text({}).empty());
}
