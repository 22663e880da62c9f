#include "sim/experiment/run/serial_roofline.h"

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/formula_verdict.h"
#include "sim/published/method_signs.h"
#include "sim/published/simplest_formula.h"
#include "sim/runtime/streams/stream_program.h"

using namespace a3sim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

Experiment roofline_experiment(const char* name, const std::vector<std::string>& overrides) {
  return load_experiment(configs_folder() / "experiments" / (std::string(name) + ".yaml"), overrides);
}

SerialRoofline roofline_of(const Experiment& experiment, double part) {
  const Compiled compiled = compile_all(experiment);
  return serial_roofline(compiled.passes.front().schedule, compiled.counts, experiment.hardware,
                         experiment.program, options_of(experiment, false), part);
}

double ms(Duration time) { return milliseconds(time); }

Comparison compared_point(double predicted, double formula, double published) {
  Reference reference;
  reference.metric = "latency";
  reference.value = published * 1e-3;
  Point point{{{"case", 1}}, "latency", "ms", predicted, "toy"};
  point.formula = formula;
  return {point, reference};
}

}  // namespace

TEST_CASE("by hand a large product is its arithmetic at a part of the peak, and one launch") {
  const Experiment experiment =
      roofline_experiment("gemm", {"graph.experts=0", "graph.sizes.m=4096", "graph.sizes.n=4096",
                                   "graph.sizes.k=4096", "graph.dtype=bf16"});
  const SerialRoofline roofline = roofline_of(experiment, 0.8);
  const double seconds_alone =
      4096.0 * 4096 * 4096 /
      (static_cast<double>(experiment.workers.count(CoreUnit::kMatrix)) * 4096 * 1850e6 * 0.8);
  CHECK(ms(roofline.operators) == Approx(seconds_alone * 1e3).epsilon(1e-6));
  CHECK(roofline.launch == first_launch(experiment.program, experiment.run.launch));
  CHECK(roofline.link + roofline.latency == Duration::zero());
  CHECK(roofline.total() == roofline.operators + roofline.launch);
}

TEST_CASE("by hand a thin product is the bytes of its factors and its result, each once") {
  const Experiment experiment =
      roofline_experiment("gemm", {"graph.experts=0", "graph.sizes.m=128", "graph.sizes.n=8192",
                                   "graph.sizes.k=8192", "graph.dtype=bf16"});
  const auto& memory = experiment.hardware.memory;
  const double read = 2.0 * (128 * 8192 + 8192.0 * 8192), written = 2.0 * 128 * 8192;
  CHECK(ms(roofline_of(experiment, 0.8).operators) ==
        Approx(memory.as_reads(read, written) / static_cast<double>(memory.hbm_read.count) * 1e3)
            .epsilon(1e-6));
}

TEST_CASE("by hand an all-to-all is what a port carries to the other ranks, and one latency") {
  const Experiment experiment =
      roofline_experiment("all_to_all", {"experiment.execution=static", "experiment.communication=one_sided",
                                         "parallel.ep=8", "parallel.tp_stride=2", "model.tokens=1024"});
  const SerialRoofline roofline = roofline_of(experiment, 1);
  const double bytes = 1024 * 16384.0 * 7 / 8;
  CHECK(ms(roofline.link) == Approx(bytes / 122.5e9 * 1e3).epsilon(1e-6));
  CHECK(roofline.latency == Duration(700000));  // inside a node
  CHECK(roofline.operators == Duration::zero());
}

TEST_CASE(
    "by hand kernels on streams follow one another, beside nothing; those that do not count are left out") {
  const Experiment experiment = roofline_experiment("feplb", {});
  StreamProgram program{2, {{"SM", 132}}, {}, {}};
  StreamTask kernel{.name = "products", .units = 1};
  kernel.macs = 1e12;
  kernel.job.ideal = Duration(1);
  kernel.job.bytes[static_cast<std::size_t>(Resource::kHbm)] = 1e6;
  program.add(kernel);
  kernel.rank = RankId{1};
  program.add(kernel);
  program.add(kernel);
  StreamTask copy{.name = "copy", .units = 1};
  copy.transfers = {{RankId{1}, Bytes{377'000'000}, BytesPerSecond{1'000'000'000}}};
  program.add(copy);
  const std::uint32_t dies[] = {0, 1};
  const auto roofline = [&](std::uint32_t tasks) {
    return serial_roofline(program, experiment.hardware, experiment.program, dies, 0.5,
                           [tasks](std::uint32_t task) { return task < tasks; });
  };
  const double one = 1e12 / (132.0 * 2048 * 1830e6 * experiment.hardware.cube.speed * 0.5);
  CHECK(ms(roofline(2).operators) == Approx(1e3 * one).epsilon(1e-6));
  CHECK(ms(roofline(3).operators) == Approx(2e3 * one).epsilon(1e-6));
  CHECK(roofline(3).link == Duration::zero());
  CHECK(ms(roofline(4).link) == Approx(1).epsilon(1e-6));
}

TEST_CASE("the part of the peak is that of the machine's software, and all where nothing is said of it") {
  const SimplestFormula formula = SimplestFormula::read(configs_folder());
  Hardware hardware;
  hardware.stack = "cann";
  CHECK(formula.part_of_peak(hardware) == Approx(0.8));
  hardware.stack = "unheard of";
  CHECK(formula.part_of_peak(hardware) == 1);
  CHECK_THAT(formula.rule, Contains("one launch"));
}

TEST_CASE("a rate is the same amount in the formula's time, a speed-up a ratio of such times") {
  const MetricAmount amount{.part = 6e9, .whole = 1e9};
  const auto value = [&](const char* name, std::optional<Duration> other) {
    return formula_value(Metrics::get(name), name, amount, Duration(2'000'000'000), other);
  };
  CHECK(value("bandwidth", {}).value() == Approx(6e9 / 2e-3));
  CHECK(value("latency", {}).value() == 2e9);
  CHECK(value("speedup", Duration(3'000'000'000)).value() == Approx(1.5));
  CHECK(!value("speedup", {}));
  CHECK(!value("l2_read_hit_rate", {}));
}

TEST_CASE("a table says first where the simplest formula is as good, and what the model lacks") {
  CHECK(verdict_of({compared_point(11, 14, 10)}).half() == true);
  CHECK_THAT(verdict_of({compared_point(11, 14, 10)}).text("polls"), StartsWith("Better than"));
  CHECK(verdict_of({compared_point(12, 13, 10)}).half() == false);
  CHECK_THAT(verdict_of({compared_point(12, 13, 10)}).text("polls"),
             StartsWith("Less than twice") && Contains("Lacking: polls"));
  CHECK(verdict_of({compared_point(12, 11, 10)}).better() == false);
  CHECK_THAT(verdict_of({compared_point(12, 11, 10)}).text(""),
             StartsWith("NOT better") && Contains("not known"));
  Comparison follows = compared_point(12, 11, 10);
  follows.reference->follows = true;
  CHECK(!verdict_of({follows}).half());
  CHECK(verdict_of({follows}).text("polls").empty());
}

TEST_CASE("fitted and held-out points are told apart") {
  Comparison fitted = compared_point(11, 14, 10), held_out = compared_point(13, 14, 10);
  fitted.reference->use = Use::kCalibration;
  held_out.reference->use = Use::kHeldOut;
  const FormulaVerdict verdict = verdict_of({fitted, held_out});
  CHECK(verdict.fitted.mean() == Approx(0.1));
  CHECK(verdict.held_out.mean() == Approx(0.3));
  CHECK(verdict.predicted.mean() == Approx(0.2));
  CHECK_THAT(verdict.text(""), Contains("10.0 % (largest 10.0 %) of 1; held out: 30.0 %"));
}

TEST_CASE("of two methods the one that is published as faster is faster, or the case is named") {
  PublishedTable table;
  table.signs = {"method", "none", {"moved"}};
  const auto latency = [](const char* method, double predicted, double published) {
    Comparison one = compared_point(predicted, 1, published);
    one.point.coordinates = {{"method", method}};
    return one;
  };
  const Comparison none = latency("none", 10, 10);
  CHECK_THAT(signs_text(table, {none, latency("moved", 9, 8)}), Contains("1 of 1"));
  CHECK_THAT(signs_text(table, {none, latency("moved", 11, 8)}),
             Contains("0 of 1") && Contains("method moved"));
  CHECK(signs_text(table, {none, latency("other", 11, 8)}).empty());
  table.signs.values.clear();
  CHECK(signs_text(table, {none, latency("moved", 9, 8)}).empty());
}
