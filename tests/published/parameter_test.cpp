#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/published/fit/calibration.h"
#include "sim/published/fit/predictor.h"
#include "tests/published/toy.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

Parameter parameter(const std::string& value, const std::string& low, const std::string& high) {
  SourcedValue stated;
  stated.path = "hardware.x";
  stated.value = value;
  stated.low = low;
  stated.high = high;
  return Parameter(stated);
}

template <class Call>
std::string parameter_refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("positions run over the range, whatever the units of its ends") {
  const Parameter rate = parameter("1500 GB/s", "1.4 TB/s", "1600 GB/s");
  CHECK(rate.nominal() == Approx(0.5));
  CHECK(rate.at(0) == "1400000000000 B/s");
  CHECK(rate.at(1) == "1600000000000 B/s");
  CHECK(rate.at(0.25) == "1450000000000 B/s");
  CHECK(rate.at(-1) == rate.at(0));
  CHECK(rate.at(2) == rate.at(1));
  CHECK(parameter("0.2 us", "150 ns", "0.3 us").at(0.5) == "225000 ps");
  CHECK(parameter("40 B/cycle", "30 B/cycle", "50 B/cycle").at(0.25) == "35 B/cycle");
  CHECK(parameter("0.5", "0", "1.0").at(0.25) == "0.25");
}

TEST_CASE("whole numbers share the range in equal parts, and the file's own is found again") {
  const Parameter count = parameter("24", "24", "26");
  CHECK(count.whole());
  CHECK(count.at(0.33) == "24");
  CHECK(count.at(0.34) == "25");
  CHECK(count.at(0.66) == "25");
  CHECK(count.at(0.67) == "26");
  for (const char* value : {"24", "25", "26"}) {
    CHECK(parameter(value, "24", "26").at(parameter(value, "24", "26").nominal()) == value);
  }
  CHECK(!parameter("1", "0", "1.0").whole());
}

TEST_CASE("a rounded value has the file's unit, four digits, and lies in the range") {
  const Parameter rate = parameter("1.5 TB/s", "1.41234567 TB/s", "1600 GB/s");
  CHECK(rate.rounded(0.5) == "1.506 TB/s");
  CHECK(rate.rounded(1) == "1.6 TB/s");
  CHECK(rate.rounded(0) == "1.41234567 TB/s");  // 1.412 would lie below it
  CHECK(parameter("3 ns", "1 ns", "3 ns").rounded(0.123456) == "1.247 ns");
  CHECK(parameter("3 ps", "1 ps", "4 ps").rounded(0.5) == "2 ps");  // there is no half of a picosecond
  CHECK(parameter("12345 B/cycle", "1 B/cycle", "99999 B/cycle").rounded(0.5) == "50000 B/cycle");
}

TEST_CASE("a range of another kind than its value is refused") {
  CHECK_THAT(parameter_refusal([] { parameter("1 TB/s", "1 us", "2 us"); }), Contains("cannot be compared"));
  CHECK_THAT(parameter_refusal([] { parameter("1 B/cycle", "1 TB/s", "2 B/cycle"); }),
             Contains("cannot be compared"));
}

TEST_CASE("fitted values are those that the file itself marks, at most six, none of them whole") {
  const Toy toy;
  const std::vector<Parameter> fitted = fitted_parameters(toy.files());
  REQUIRE(fitted.size() == 2);
  CHECK(fitted[0].path() == "hardware.memory.hbm_read");
  CHECK(fitted[1].path() == "hardware.memory.l2_read");

  const std::string plain = "{value: 1.5 TB/s, source: s}";
  CHECK_THAT(parameter_refusal([&] { fitted_parameters(Toy(plain, plain).files()); }),
             Contains("no value of its own"));

  const auto with = [](const std::string& more) {
    const Toy toy;
    toy.write("hardware/toy.yaml", Toy::text_of(toy.hardware()) + more);
    return parameter_refusal([&] { fitted_parameters(toy.files()); });
  };
  const std::string us = ": {value: 1 us, range: [0.5 us, 2 us], fitted: true, source: s}\n";
  const std::string part = ": {value: 0.5, range: [0.4, 0.7], fitted: true, source: s}\n";
  const std::string four = "    put_startup" + us + "    unaligned" + part +
                           "  workers:\n    vector:\n      unaligned" + part + "    cube:\n      unaligned" +
                           part;
  CHECK(with(four) == "accepted");
  CHECK_THAT(with(four + "      rows_128" + part), Contains("7 values") && Contains("at most 6"));
  CHECK_THAT(
      with("  workers:\n    cube:\n      count: {value: 24, range: [24, 25], fitted: true, source: s}\n"),
      Contains("workers.cube.count") && Contains("whole number"));
}

TEST_CASE("a file that includes the fitted one is pointed to it") {
  const Toy toy;
  toy.write("hardware/more.yaml", "include: toy.yaml\nhardware:\n  name: more\n");
  CHECK_THAT(parameter_refusal(
                 [&] { fitted_parameters(std::vector{toy.scenario.configs / "hardware" / "more.yaml"}); }),
             Contains(".yaml has some"));
}

TEST_CASE("a stated value reaches what takes it from that file, and not what states it anew") {
  Toy toy;
  toy.write(
      "hardware/anew.yaml",
      "include: toy.yaml\nhardware:\n  name: anew\n  memory:\n    hbm_read: {value: 1.3 TB/s, source: s}\n");
  toy.write("experiments/anew.yaml", "include: [toy.yaml, ../hardware/anew.yaml]\n");
  const std::vector<Parameter> parameters = fitted_parameters(toy.files());
  toy.scenario.hardware_values = hardware_values_at(parameters, std::vector<double>{1, 0});
  CHECK(toy.scenario.load("toy").hardware.memory.hbm_read.count == 1'400'000'000'000);
  CHECK(toy.scenario.load("toy").hardware.memory.l2_read.count == 4'000'000'000'000);
  CHECK(toy.scenario.load("anew").hardware.memory.hbm_read.count == 1'300'000'000'000);
  CHECK(toy.scenario.load("anew").hardware.memory.l2_read.count == 4'000'000'000'000);
  toy.scenario.overrides = {"hardware.memory.hbm_read=1.25 TB/s"};  // of the command line, over all
  CHECK(toy.scenario.load("toy").hardware.memory.hbm_read.count == 1'250'000'000'000);
  CHECK(toy.scenario.load("anew").hardware.memory.hbm_read.count == 1'250'000'000'000);
}

TEST_CASE("what the reader of hardware refuses is not admissible") {
  const Toy toy;
  const auto with = [&](const std::string& path, const std::string& value) {
    return admissible(toy.files(), std::vector<Scenario::HardwareValue>{{path, value, toy.hardware()}});
  };
  CHECK(with("hardware.workers.cube.count", "1"));
  CHECK(!with("hardware.workers.cube.count", "0"));
}

TEST_CASE("only the tokens of values change in a hardware file") {
  const Toy toy("{range: [1.2 TB/s, 1.4 TB/s], value: \"1.33 TB/s\", fitted: true, source: s}");
  const std::vector<Parameter> fitted = fitted_parameters(toy.files());
  std::string expected = Toy::text_of(toy.hardware());
  const auto replace = [&](const std::string& from, const std::string& to) {
    expected.replace(expected.find(from), from.size(), to);
  };
  replace("\"1.33 TB/s\"", "\"1.2999 TB/s\"");
  replace("5.96 TB/s", "4.5 TB/s");
  CHECK(with_values(toy.hardware(), std::vector<NewValue>{{fitted[0].stated(), "1.2999 TB/s"},
                                                          {fitted[1].stated(), "4.5 TB/s"}}) == expected);
}

TEST_CASE("two values on one line are both replaced") {
  const Toy toy;
  const std::string text = Toy::text_of(toy.hardware());
  const auto file = [&](const std::string& hbm, const std::string& l2) {
    return text.substr(0, text.find("  memory:")) + "  memory: {hbm_read: {value: " + hbm +
           ", range: [1.2 TB/s, 1.4 TB/s], fitted: true, source: s}, l2_read: {value: " + l2 +
           ", range: [4 TB/s, 6 TB/s], fitted: true, source: s}}\n";
  };
  toy.write("hardware/toy.yaml", file("1.33 TB/s", "5 TB/s"));
  const std::vector<Parameter> fitted = fitted_parameters(toy.files());
  CHECK(with_values(toy.hardware(), std::vector<NewValue>{{fitted[0].stated(), "1.3 TB/s"},
                                                          {fitted[1].stated(), "4.567 TB/s"}}) ==
        file("1.3 TB/s", "4.567 TB/s"));
}

TEST_CASE("a file that has changed since it was read is not written over") {
  const Toy toy;
  const std::vector<Parameter> fitted = fitted_parameters(toy.files());
  toy.write("hardware/toy.yaml", "# One more line\n" + Toy::text_of(toy.hardware()));
  CHECK_THAT(parameter_refusal([&] {
               with_values(toy.hardware(), std::vector<NewValue>{{fitted[0].stated(), "1.3 TB/s"}});
             }),
             Contains("does not stand there"));
}
