#include <catch2/catch.hpp>
#include <string>

#include "sim/core/config/quantity.h"
#include "sim/core/rng.h"
#include "tests/core/config_text.h"

namespace a3sim {
namespace {

using Catch::Contains;
constexpr std::int64_t kKilo = 1000, kMega = kKilo * kKilo, kGiga = kMega * kKilo, kTera = kGiga * kKilo;

std::int64_t value_of(const std::string& text, QuantityKind kind) {
  const Parsed<std::int64_t> parsed = parse_quantity(text, kind);
  INFO(text << ": " << parsed.error);
  REQUIRE(parsed.error.empty());
  return parsed.value;
}

std::string quantity_error(const std::string& text, QuantityKind kind) {
  return parse_quantity(text, kind).error;
}

TEST_CASE("Times are whole picoseconds, exactly") {
  const auto ps = [](const std::string& text) { return value_of(text, QuantityKind::kDuration); };
  CHECK(ps("1.1 us") == 11 * kMega / 10);
  CHECK(ps("2.36us") == 236 * kMega / 100);
  CHECK(ps("0.929 us") == 929 * kKilo);
  CHECK(ps("0.1 ms") == kGiga / 10);
  CHECK(ps("3 s") == 3 * kTera);
  CHECK(ps("1e-12 s") == 1);
  CHECK(ps("0.000000000001 s") == 1);
  CHECK(ps("1.1000000000000000000000000000000000000000 us") == 11 * kMega / 10);
  CHECK(ps("00001 ps") == 1);
  CHECK(ps("0 ns") == 0);
  CHECK(ps("0e999999999999999999999 ns") == 0);
}

TEST_CASE("Every decimal of a time comes out as its digits say") {
  // What a double would round: 0.1, 0.2, ... 999999.999999 us are these many picoseconds.
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t whole = rng.below(kMega), fraction = rng.below(kMega);
    std::string digits = std::to_string(fraction);
    digits.insert(0, 6 - digits.size(), '0');
    const std::string text = std::to_string(whole) + "." + digits + " us";
    REQUIRE(value_of(text, QuantityKind::kDuration) == whole * kMega + fraction);
  }
}

TEST_CASE("Sizes know binary and decimal units") {
  const auto bytes = [](const std::string& text) { return value_of(text, QuantityKind::kBytes); };
  CHECK(bytes("192 MiB") == 201'326'592);
  CHECK(bytes("1.5 KiB") == 1024 + 512);
  CHECK(bytes("64 GB") == 64 * kGiga);
  CHECK(bytes("1 KB") == bytes("1 kB"));
  CHECK(bytes("2 TiB") == std::int64_t{2} << 40);
  CHECK(bytes("0.0009765625 KiB") == 1);
}

TEST_CASE("Rates and frequencies") {
  CHECK(value_of("1.6 TB/s", QuantityKind::kRate) == 16 * kTera / 10);
  CHECK(value_of("70 GiB/s", QuantityKind::kRate) == std::int64_t{70} << 30);
  CHECK(value_of("1.85 GHz", QuantityKind::kFrequency) == 185 * kGiga / 100);
  CHECK(value_of("50 MHz", QuantityKind::kFrequency) == 50 * kMega);
}

TEST_CASE("A quantity without a unit, or with another's, is refused with the units that fit") {
  CHECK(quantity_error("1.1", QuantityKind::kDuration) == "'1.1' has no unit, expected one of ps ns us ms s");
  CHECK(quantity_error("5 minutes", QuantityKind::kDuration) ==
        "'minutes' is not a unit of a time, expected one of ps ns us ms s");
  CHECK_THAT(quantity_error("5 GB", QuantityKind::kRate),
             Contains("'GB' is not a unit of a rate, expected one of B/s KiB/s"));
  CHECK_THAT(quantity_error("5 Gb/s", QuantityKind::kRate), Contains("'Gb/s' is not a unit"));
  CHECK_THAT(quantity_error("5 mb", QuantityKind::kBytes), Contains("'mb' is not a unit"));
  CHECK_THAT(quantity_error("5 /s", QuantityKind::kRate), Contains("'/s' is not a unit"));
  CHECK_THAT(quantity_error("5 GHz x", QuantityKind::kFrequency), Contains("'GHz x' is not a unit"));
  CHECK_THAT(quantity_error("1e us", QuantityKind::kDuration), Contains("'e us' is not a unit"));
}

TEST_CASE("What is no number of the base unit is refused, not rounded") {
  CHECK(quantity_error("0.5 ps", QuantityKind::kDuration) ==
        "'0.5 ps' is too fine, expected a whole number of picoseconds");
  CHECK_THAT(quantity_error("0.3 KiB", QuantityKind::kBytes), Contains("too fine"));
  CHECK_THAT(quantity_error("1e-999999999999999999999 s", QuantityKind::kDuration), Contains("too fine"));
  CHECK_THAT(quantity_error("0.1234567890123456789012345678901234567890 s", QuantityKind::kDuration),
             Contains("too fine"));
  CHECK_THAT(quantity_error("us", QuantityKind::kDuration),
             Contains("'us' is not a time, expected a time such as '1.1 us'"));
  CHECK_THAT(quantity_error("", QuantityKind::kDuration), Contains("'' is not a time"));
  CHECK_THAT(quantity_error("nan us", QuantityKind::kDuration), Contains("is not a time"));
  CHECK_THAT(quantity_error("inf us", QuantityKind::kDuration), Contains("is not a time"));
  CHECK_THAT(quantity_error("-1 us", QuantityKind::kDuration), Contains("'-1 us' is negative"));
}

TEST_CASE("Quantities go up to 10^18 of their base unit, and not one beyond") {
  CHECK(value_of("1000000 s", QuantityKind::kDuration) == kLargestQuantity);
  CHECK(value_of("1000000000000000000 ps", QuantityKind::kDuration) == kLargestQuantity);
  CHECK(value_of("1e18 B", QuantityKind::kBytes) == kLargestQuantity);
  CHECK(quantity_error("1000000000000000001 ps", QuantityKind::kDuration) ==
        "'1000000000000000001 ps' is too large, expected at most 10^18 picoseconds");
  for (const std::string large :
       {"1e19 ps", "1000000.000000000001 s", "99999999999999999999999999 s", "9999999999999999999 s",
        "1e999999999999999999 ps", "123456789012345678901234567890123456789012345678901234567890 s"}) {
    CHECK_THAT(quantity_error(large, QuantityKind::kDuration), Contains("is too large"));
  }
}

TEST_CASE("Zero is refused where nothing would ever end") {
  ConfigText text("rate: 0 B/s\nsize: 0 B\nclock: 0 Hz\nnone: 0 us\nsome: 0 us\n");
  text.config.rate("rate");
  text.config.bytes("size");
  text.config.frequency("clock");
  CHECK(text.config.duration("none") == 0_ps);
  text.config.duration("some", false);
  CHECK(text.errors() ==
        "f.yaml:1:7: rate: '0 B/s' is zero, expected a rate such as '1.6 TB/s'\n"
        "f.yaml:2:7: size: '0 B' is zero, expected a size such as '192 MiB'\n"
        "f.yaml:3:8: clock: '0 Hz' is zero, expected a frequency such as '1850 MHz'\n"
        "f.yaml:5:7: some: '0 us' is zero, expected a time such as '1.1 us'\n");
}

TEST_CASE("Rates a cycle carry what is counted") {
  CHECK(parse_per_cycle("110 B/cycle", "B").value == 110);
  CHECK(parse_per_cycle("40.6 B/cycle", "B").value == 40.6);
  CHECK(parse_per_cycle("64element/cycle", "element").value == 64);
  CHECK_THAT(parse_per_cycle("64", "element").error,
             Contains("'64' has no unit, expected a positive number such as"));
  CHECK_THAT(parse_per_cycle("64 B/cycle", "element").error, Contains("'B/cycle' is not the unit"));
  CHECK_THAT(parse_per_cycle("x", "B").error, Contains("'x' is not a number of B per cycle"));
  for (const std::string wrong : {"0 B/cycle", "-1 B/cycle", "1e19 B/cycle", "1e999 B/cycle"}) {
    CHECK_THAT(parse_per_cycle(wrong, "B").error, Contains("out of range"));
  }
}

}  // namespace
}  // namespace a3sim
