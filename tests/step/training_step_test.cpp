#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/experiment/step/step_bounds.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

Duration alone_of_blocks(const Ran& ran) {
  Duration sum{};
  for (const std::uint32_t b : ran.prepared.layout.blocks_of(0)) {
    const BlockTimes& block = ran.prepared.blocks[b];
    for (const PartWorks* const works : {&block.forward, &block.again, &block.activation, &block.weights})
      for (const PartWork& part : *works) sum += part.alone();
  }
  return sum;
}

bool near(Duration a, Duration b, double within) {
  return std::abs(static_cast<double>((a - b).count())) <= within * static_cast<double>(b.count());
}

TEST_CASE("one stage without exchanges takes its kernels for each micro-batch, and the update") {
  const Ran one = run_text(kDense, {"step.global_batch=1"}), four = run_text(kDense, {"step.global_batch=4"});
  const Duration kernels = alone_of_blocks(one), update = one.run.result.makespan - kernels;
  // The memory may hold kernels up: they are never faster than alone.
  CHECK(one.run.result.makespan >= kernels);
  CHECK(near(four.run.result.makespan, 4 * kernels + update, 0.02));
}

TEST_CASE("the classes of a die's time sum to the step") {
  for (const char* pp : {"1", "2", "4"}) {
    const Ran ran = run_text(kSmall, {std::string("parallel.pp=") + pp, "parallel.dp=4", "parallel.ep=4",
                                      "step.recompute=[all]", "step.global_batch=32"});
    for (const StageAccount& account : ran.accounts) {
      CHECK(sum_of(account.classes) == ran.run.result.makespan);
      for (const Duration time : account.classes) CHECK(time >= Duration::zero());
      for (const ExchangeAccount& exchange : account.exchanges) CHECK(exchange.exposed <= exchange.total);
      // What is exposed is said in two places: as classes, and with the exchanges.
      constexpr TimeClass kClasses[] = {TimeClass::kEp, TimeClass::kTp, TimeClass::kDp, TimeClass::kPp};
      for (std::size_t e = 0; e < account.exchanges.size(); ++e)
        CHECK(account.exchanges[e].exposed == at(account.classes, kClasses[e]));
      CHECK(account.gaps <= at(account.classes, TimeClass::kRest));
    }
  }
}

TEST_CASE("memory that is foreseen is what a run keeps") {
  const Ran ran = run_text(kDense, {"parallel.pp=4", "step.global_batch=16"});
  for (std::uint32_t s = 0; s < 4; ++s) {
    double most = 0;
    for (const auto& [time, bytes] : activations_of(ran.run.written, ran.run.result, s))
      most = std::max(most, bytes);
    CHECK(most == Approx(ran.prepared.memory[s].activations));
  }
}

TEST_CASE("a launch that takes longer than every kernel makes the step its launches") {
  const Ran ran = run_text(kDense, {"step.global_batch=2", "step.host.launch=2 ms"});
  std::uint32_t launches = 0;
  for (const std::uint32_t b : ran.prepared.layout.blocks_of(0)) {
    const BlockTimes& block = ran.prepared.blocks[b];
    for (const PartWorks* const works : {&block.forward, &block.again, &block.activation, &block.weights})
      for (const PartWork& part : *works) launches += part.launches;
  }
  CHECK(near(ran.run.result.makespan, Duration(std::chrono::milliseconds(2)) * 2 * launches, 0.02));
  const ClassTimes& classes = ran.accounts[0].classes;
  CHECK(near(at(classes, TimeClass::kHost) + at(classes, TimeClass::kRest) + ran.accounts[0].active,
             ran.run.result.makespan, 0.001));
}

TEST_CASE("spread weights over a slow link take the time of their bytes") {
  const Ran ran = run_text(
      kDense, {"parallel.dp=8", "step.global_batch=16", "step.fsdp=true",
               "hardware.fabric.planes.hccs.egress=1 GB/s", "hardware.fabric.planes.hccs.ingress=1 GB/s",
               "hardware.fabric.planes.sio.egress=1 GB/s", "hardware.fabric.planes.sio.ingress=1 GB/s"});
  double parameters = 0;
  for (const std::uint32_t b : ran.prepared.layout.blocks_of(0))
    parameters += ran.prepared.blocks[b].dense_parameters;
  // Two micro-batches: weights for two passes, gradients once; seven of eight parts leave each die. Of a ring's steps, half go
  // to the die of the same package and half to the next one, by ports of their own.
  const double bytes = 2 * parameters * (2 * 2 + 4) * 7 / 8 / 2;
  CHECK(seconds(ran.run.result.makespan) == Approx(bytes / 1e9).epsilon(0.1));
}

TEST_CASE("pipelines take what their schedule says, up to what is around the layers") {
  const Ran one = run_text(kDense, {"step.global_batch=16", "step.schedule=1f1b"});
  const Ran four = run_text(kDense, {"parallel.pp=4", "step.global_batch=16"});
  const double whole = seconds(alone_of_blocks(one));
  CHECK(seconds(four.run.result.makespan) > whole * 16 / 4);
  CHECK(seconds(four.run.result.makespan) < whole * (16 + 4 - 1) / 4 * 1.6);
  CHECK(at(four.accounts[0].classes, TimeClass::kBubble) > Duration::zero());
}

TEST_CASE(
    "overlapping two micro-batches hides exchanges and never makes a step longer by more than a little") {
  const std::vector<std::string> set = {"parallel.dp=16", "parallel.ep=16", "step.global_batch=256",
                                        "hardware.fabric.planes.hccs.egress=20 GB/s",
                                        "hardware.fabric.planes.hccs.ingress=20 GB/s"};
  std::vector<std::string> overlapped = set;
  overlapped.emplace_back("step.overlap=two_micro_batches");
  const Ran none = run_text(kSmall, set), two = run_text(kSmall, overlapped);
  const auto hidden = [](const Ran& ran) {
    const ExchangeAccount& ep = ran.accounts[0].exchanges[static_cast<std::size_t>(ExchangeFor::kEp)];
    return seconds(ep.hidden()) / seconds(ep.total);
  };
  CHECK(hidden(none) < 0.01);
  CHECK(hidden(two) > 0.3);
  CHECK(two.run.result.makespan < none.run.result.makespan);
}

// An exchange of TP that went on while the die waited for one of EP was once called hidden, although nothing computed.
TEST_CASE("what hides an exchange is a kernel, and no other exchange") {
  const Ran ran = run_text(
      kSmall, {"parallel.tp=2", "parallel.dp=8", "parallel.ep=8", "step.global_batch=64",
               "step.schedule=1f1b", "step.overlap=two_micro_batches", "program.launch.queued=0 us",
               "hardware.fabric.planes.hccs.egress=5 GB/s", "hardware.fabric.planes.hccs.ingress=5 GB/s"});
  const auto& exchanges = ran.accounts[0].exchanges;
  for (const ExchangeAccount& exchange : exchanges) {
    Duration by_kernels{};
    for (const Duration time : exchange.hidden_by) by_kernels += time;
    CHECK(near(by_kernels + exchange.exposed + exchange.beside, exchange.total, 0.01));
    CHECK(near(by_kernels + Duration(1), exchange.hidden() + Duration(1), 0.01));
  }
  CHECK(exchanges[static_cast<std::size_t>(ExchangeFor::kTp)].beside > Duration::zero());
  CHECK(exchanges[static_cast<std::size_t>(ExchangeFor::kEp)].beside == Duration::zero());
}

TEST_CASE("a layout that does not divide says where, and what would") {
  const auto message = [](const std::vector<std::string>& set) -> std::string {
    try {
      static_cast<void>(parse_experiment(kSmall, kFile, set));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(message({"parallel.ep=3", "parallel.dp=4"}),
             Catch::Contains("parallel.ep") && Catch::Contains("expected one of: 1, 2, 4"));
  CHECK_THAT(message({"parallel.pp=16"}), Catch::Contains("8 layers for 16 chunks"));
  CHECK_THROWS_WITH(
      run_text(kDense, {"parallel.ep=2", "parallel.dp=2"}),
      Catch::Contains("parallel.ep: 2 ranks share experts, and the model has none: expected 1"));
  CHECK_THROWS_WITH(
      run_text(kDense, {"parallel.etp=2", "parallel.tp=2"}),
      Catch::Contains("parallel.etp: 2 dies share each expert, and the model has none: expected 1"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.expert_capacity=1.2"}),
                    Catch::Contains("step.expert_capacity: limits rows of experts, and the model has none"));
  CHECK_THAT(message({"parallel.tp=3"}),
             Catch::Contains("16 heads on 3 dies, expected one of: 1, 2, 4, 8, 16"));
  CHECK_THAT(message({"parallel.dp=4", "step.global_batch=6"}), Catch::Contains("such as 8"));
  // What follows from a wrong value is not said as well.
  const std::vector<std::vector<std::string>> alone{
      {"step.sequence=0"},
      {"step.global_batch=100000000"},
      {"step.micro_batch=0"},
      {"model.layers=[foo]"},
      {"parallel.dies=3", "parallel.dp=auto", "parallel.tp=2", "parallel.ep=8"}};
  for (const std::vector<std::string>& set : alone) {
    const std::string text = message(set);
    CAPTURE(text);
    CHECK(std::ranges::count(text, '\n') == 0);
    CHECK_THAT(text, Catch::Contains(set.front().substr(0, set.front().find('='))));
  }
  CHECK_THAT(message({"step.schedule=dualpipev", "parallel.pp=2", "parallel.vpp=2", "parallel.ep=1",
                      "step.global_batch=2"}),
             Catch::Contains("expected 4 or more"));
  CHECK_THAT(message({"parallel.pp=4", "step.overlap=two_micro_batches"}),
             Catch::Contains("expected step.schedule=interleaved"));
  CHECK_THAT(message({"step.split=Ett|(tt|)*2tt|L", "parallel.pp=4"}), Catch::Contains("5 chunks"));
}

TEST_CASE("sizes that no run has time or memory for are refused at their keys, with what would fit") {
  CHECK_THROWS_WITH(
      run_text(kDense, {"step.sequence=16777216", "step.over_capacity=true"}),
      Catch::Contains("step.sequence: 16777216 tokens") && Catch::Contains("expected at most about"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.global_batch=16777216"}),
                    Catch::Contains("step.global_batch: 16777216 samples are 16777216 micro-batches"));
  CHECK_THROWS_WITH(
      run_text(kDense, {"step.micro_batch=4194304", "step.global_batch=4194304"}),
      Catch::Contains("step.micro_batch: ") && Catch::Contains("a micro_batch of up to 2097152"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.micro_batch=16777216", "parallel.dp=4"}),
                    Catch::Contains("step.micro_batch: ") && Catch::Contains("expected at most 4194304"));
  CHECK_THROWS_WITH(
      run_text(kDense, {"step.sequence=65536", "step.micro_batch=32768", "step.global_batch=32768",
                        "step.over_capacity=true"}),
      Catch::Contains("step.micro_batch: 32768 samples") && Catch::Contains("expected at most about"));
  // A rate that is far off is no size's fault.
  CHECK_THROWS_WITH(run_text(kDense, {"hardware.memory.hbm_read=1 B/s"}), Catch::Contains("is a rate"));
}

TEST_CASE("a step above the die's memory is refused with what would fit, unless it is asked for") {
  const std::vector<std::string> little = {"step.capacity=1 GiB"},
                                 asked = {"step.capacity=1 GiB", "step.over_capacity=true"};
  CHECK_THROWS_WITH(run_text(kDense, little), Catch::Contains("step.capacity") && Catch::Contains("weights"));
  CHECK_NOTHROW(run_text(kDense, asked));
  CHECK_THROWS_WITH(
      run_text(kDense, {"parallel.dp=8", "step.fsdp=true", "step.replicas=4", "step.capacity=512 MiB"}),
      Catch::Contains("a smaller step.replicas"));
}

// Sanitizers make a layout ten times as slow.
#ifdef NDEBUG
constexpr std::uint32_t kLayouts = 1000;
#else
constexpr std::uint32_t kLayouts = 100;
#endif

// Returns a random layout of the small model; empty if its groups do not divide.
std::vector<std::string> random_layout(std::mt19937& random) {
  const auto one_of = [&](std::vector<std::uint32_t> values) { return values[random() % values.size()]; };
  const std::uint32_t tp = one_of({1, 2, 4}), pp = one_of({1, 2, 4}), cp = one_of({1, 2}),
                      dp = one_of({1, 2, 4, 8});
  const std::uint32_t vpp = pp > 1 ? one_of({1, 2}) : 1, m = pp * one_of({1, 2, 3});
  const std::uint32_t ep = one_of({1, 2, 4, 8}), etp = tp > 1 ? one_of({1, 2}) : 1;
  const char* const schedule = pp == 1                                                 ? "none"
                               : vpp == 1 && m >= 2 * pp && m % 2 == 0 && random() % 2 ? "dualpipe"
                               : vpp == 1                    ? (random() % 2 ? "1f1b" : "zb_h1")
                               : m >= 2 * pp && random() % 2 ? (random() % 2 ? "dualpipev" : "zb_v")
                                                             : "interleaved";
  if (tp * cp * dp % (ep * etp) != 0) return {};
  const char* const overlaps[] = {"none", "within_one", "two_micro_batches"};
  const bool pairs = !std::string_view(schedule).starts_with("zb_") && std::string_view(schedule) != "1f1b";
  const char* const recomputes[] = {"[]", "[all]", "[norm, moe]"};
  return {fmt::format("parallel={{tp: {}, pp: {}, vpp: {}, cp: {}, dp: {}, ep: {}, etp: {}}}", tp, pp, vpp,
                      cp, dp, ep, etp),
          fmt::format("step.offload={}", random() % 4 ? "0" : "0.5"),
          "step.host.link=25 GB/s",
          fmt::format("step.global_batch={}", m * dp),
          fmt::format("step.schedule={}", schedule),
          fmt::format("step.overlap={}", overlaps[random() % (pairs ? 3 : 2)]),
          fmt::format("step.recompute={}", recomputes[random() % 3]),
          fmt::format("step.split_weights={}", random() % 2 ? "true" : "false"),
          fmt::format("step.fsdp={}",
                      schedule == std::string_view("dualpipe") || random() % 4 ? "false" : "true"),
          fmt::format("step.zero2={}", random() % 4 ? "false" : "true"),
          fmt::format("step.cp_exchange={}", random() % 2 ? "ring" : "ulysses"),
          fmt::format("step.documents={}", random() % 4 ? 1 : 4),
          fmt::format("step.tp_pipelined={}", random() % 2 ? "true" : "false"),
          fmt::format("step.host.launch={}", random() % 2 ? "0 us" : "20 us")};
}

TEST_CASE(
    "a thousand random layouts run, their classes sum, dies keep nothing for ever, and none beats its "
    "bounds") {
  std::mt19937 random(7);
  for (std::uint32_t ran = 0; ran < kLayouts;) {
    const std::vector<std::string> set = random_layout(random);
    if (set.empty()) continue;
    ++ran;
    CAPTURE(fmt::format("{}", fmt::join(set, " ")));
    const Ran result = run_text(kSmall, set);
    for (const StageAccount& account : result.accounts)
      REQUIRE(sum_of(account.classes) == result.run.result.makespan);
    REQUIRE(result.run.result.makespan >=
            step_bounds(result.experiment.hardware, result.prepared, result.run.written).largest());
    for (std::uint32_t s = 0; s < result.prepared.memory.size(); ++s) {
      // All that a die keeps for its backward passes is given back, never before it was kept.
      const ActivationCurve curve = activations_of(result.run.written, result.run.result, s);
      REQUIRE(curve.back().second == Approx(0).margin(1));
      const double most = std::ranges::max_element(curve, {}, &ActivationCurve::value_type::second)->second;
      // Over a slow link more waits than what is foreseen.
      if (set[1] == "step.offload=0") REQUIRE(most <= result.prepared.memory[s].activations * 1.000001 + 1);
      REQUIRE(std::ranges::all_of(curve, [](const auto& point) { return point.second > -1; }));
    }
  }
}

TEST_CASE("ports that are faster than the kernels of an exchange make no step longer") {
  // Beside passes, too: were the ring of gathers to send its near part at once, the memory would leave products less meanwhile.
  const std::string overlap = GENERATE("none", "both");
  const auto time = [&](const std::string& rate) {
    const std::vector<std::string> set = {
        "model.layers=[embedding, 4 moe, head]", "step.global_batch=32", "step.dp_overlap=" + overlap,
        "hardware.fabric.planes.nvlink.egress=" + rate, "hardware.fabric.planes.nvlink.ingress=" + rate};
    const Experiment experiment = load_experiment(configs_folder() / "experiments" / "step_h100.yaml", set);
    return run_step(experiment, prepare_step(experiment)).result.makespan;
  };
  const Duration as_it_is = time("377 GB/s");
  CHECK(time("1800 GB/s") <= as_it_is);
  CHECK(time("18 TB/s") <= as_it_is);
  CHECK(time("100 GB/s") > as_it_is);
}

TEST_CASE("a step says the same of itself whether its tasks are recorded or not") {
  const Experiment experiment = parse_experiment(kDense, kFile, std::vector<std::string>{});
  const auto work = experiment.work->prepare(experiment, 1);
  const std::vector<RunOutcome> traced = work->run_all(experiment, Record::kTrace, 1),
                                page = work->run_all(experiment, Record::kLatency, 1);
  CHECK_FALSE(page.front().trace.has_value());
  CHECK(page.front().latency == traced.front().latency);
  const OwnSections all = work->sections(experiment, traced), text = work->sections(experiment, page);
  CHECK(text.head == all.head);
  CHECK(text.before.text() == all.before.text());
  CHECK(text.files.empty());
  CHECK(all.files.size() == 3);
}

}  // namespace
}  // namespace a3sim
