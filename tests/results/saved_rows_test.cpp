#include "sim/result/saved_rows.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/result/saved_values.h"
#include "traces/report/report.h"

// What is written of a row is what is read: every value differs from the one before, so that none can be mistaken for
// another or be left out.
namespace a3sim {
namespace {

// Gives each value of a row another number.
class NumberedValues {
 public:
  explicit NumberedValues(std::int64_t& next) : next_(next) {}
  void text(const std::string& /*key*/, std::string& value) { value = "name" + std::to_string(++next_); }
  void time(const std::string& /*key*/, Duration& value) { value = Duration(++next_); }
  template <class Number>
  void count(const std::string& /*key*/, Number& value) {
    value = static_cast<Number>(++next_);
  }
  void amount(const std::string& /*key*/, double& value, std::int64_t /*least*/ = 0) {
    value = static_cast<double>(++next_);
  }
  void number(const std::string& /*key*/, double& value, double /*most*/) {
    value = 0.5 + static_cast<double>(++next_);
  }
  template <class Enum>
  void choice(const std::string& /*key*/, Enum& value) {
    value = Enum{1};
  }

 private:
  std::int64_t& next_;
};

// The row as a result holds it, read as a configuration.
template <class Describe>
Config written(const Describe& describe, Diagnostics& diagnostics) {
  std::vector<Column> columns;
  std::vector<Cell> cells;
  describe(DataColumns(columns));
  describe(DataCells(cells));
  Report report;
  report.table("rows", std::move(columns), Audience::kPrograms).add(std::move(cells));
  return Config::parse(report.json().dump(), "result", {}, diagnostics).maps("rows").front();
}

TEST_CASE("an operator of a result is read as it was written", "[saved]") {
  std::int64_t next = 0;
  SavedOperator row, read;
  describe_operator(row, NumberedValues(next));
  constexpr std::int64_t kValues = 6 + kLimits + 8;
  CHECK(next == kValues);
  Diagnostics diagnostics;
  const auto write = [&](auto values) { describe_operator(std::as_const(row), values); };
  describe_operator(read, ConfigValues(written(write, diagnostics)));
  diagnostics.throw_if_any();
  CHECK(read.name == row.name);
  CHECK(read.unit == row.unit);
  CHECK(read.stage == row.stage);
  CHECK(read.stats.tasks == row.stats.tasks);
  CHECK(read.stats.ran == row.stats.ran);
  CHECK(read.stats.ideal == row.stats.ideal);
  CHECK(read.stats.waited == row.stats.waited);
  CHECK(read.stats.lost == row.stats.lost);
  CHECK(read.traffic.read == row.traffic.read);
  CHECK(read.traffic.write == row.traffic.write);
  CHECK(read.traffic.hbm_read == row.traffic.hbm_read);
  CHECK(read.traffic.hbm_write == row.traffic.hbm_write);
}

TEST_CASE("a rank's workers and a cable of a result are read as they were written", "[saved]") {
  std::int64_t next = 0;
  const WorkerKinds kinds = aic_and_aiv(1, 1);
  std::vector<PassSums::Workers> row(kinds.size()), read(kinds.size());
  describe_workers(kinds, row, NumberedValues(next));
  Diagnostics diagnostics;
  const auto write = [&](auto values) { describe_workers(kinds, std::as_const(row), values); };
  describe_workers(kinds, read, ConfigValues(written(write, diagnostics)));
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    CHECK(read[k].busy == row[k].busy);
    CHECK(read[k].waited == row[k].waited);
    CHECK(read[k].idle == row[k].idle);
  }
  SavedCable cable, other;
  describe_cable(cable, NumberedValues(next));
  const auto write_cable = [&](auto values) { describe_cable(std::as_const(cable), values); };
  describe_cable(other, ConfigValues(written(write_cable, diagnostics)));
  diagnostics.throw_if_any();
  CHECK(other.use.name == cable.use.name);
  CHECK(other.use.level == cable.use.level);
  CHECK(other.rate == cable.rate);
  CHECK(other.use.bytes == cable.use.bytes);
  CHECK(other.use.used == cable.use.used);
  CHECK(other.use.peak == cable.use.peak);
  CHECK(other.use.full == cable.use.full);
}

TEST_CASE("the machine of a result is read as it was written, and a missing value is named", "[saved]") {
  std::int64_t next = 0;
  TraceMachine machine, read;
  describe_machine(machine, NumberedValues(next));
  nlohmann::ordered_json json;
  describe_machine(std::as_const(machine), JsonValues(json));
  Diagnostics diagnostics;
  describe_machine(read, ConfigValues(Config::parse(json.dump(), "result", {}, diagnostics)));
  diagnostics.throw_if_any();
  CHECK(read == machine);
  json.erase("port_bytes_per_s");
  describe_machine(read, ConfigValues(Config::parse(json.dump(), "result", {}, diagnostics)));
  CHECK_THROWS_WITH(diagnostics.throw_if_any(), Catch::Contains("port_bytes_per_s"));
}

}  // namespace
}  // namespace a3sim
