#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/streams/micro_batches.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

Experiment layer(const std::string& method, std::vector<std::string> set = {}) {
  set.insert(set.begin(), {"network.backend=native", "experiment.seeds=1", "experiment.micro_batches=3",
                           "experiment.method=" + method});
  return load_experiment(configs_folder() / "experiments" / "feplb.yaml", set);
}

std::vector<MicroBatchResult> results_of(const Experiment& experiment) {
  return run_micro_batches(experiment, draw_batches(experiment, 0));
}

// The passes of the first micro-batch.
struct First {
  explicit First(Experiment of)
      : experiment(std::move(of)),
        batches(draw_batches(experiment, 0)),
        hardware(sustained(experiment.hardware)),
        cost(hardware, experiment.program, experiment.cut.tiling),
        history(experiment.shape.experts()) {
    for (const RoutingCounts& counts : batches.before) history.add(MicroBatch(counts, history).rows);
  }
  MicroBatch batch() const { return {batches.counts.front(), history}; }
  StreamPass pass(bool forward) {
    const MicroBatch first = batch();
    return run_stream_pass(experiment, *plan_of(experiment, first, cost), cost, forward);
  }

  Experiment experiment;
  Batches batches;
  Hardware hardware;
  KernelCost cost;
  LoadHistory history;
};

// All that a task is, without its number.
using Described = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, Duration, Duration,
                             Duration, std::vector<std::int64_t>>;
std::vector<Described> described(const StreamProgram& program) {
  std::vector<Described> all;
  for (const StreamTask& task : program.tasks) {
    std::vector<std::int64_t> bytes;
    for (const StreamTransfer& transfer : task.transfers) bytes.push_back(transfer.bytes.count);
    all.emplace_back(task.name, index(task.rank), task.stream, task.units, task.wait, task.hold,
                     task.job.ideal, bytes);
  }
  std::ranges::sort(all);
  return all;
}

std::vector<ExpertMove> moves_of(const First& first) {
  const MicroBatch batch = first.batch();
  const std::vector<bool> dynamic =
      dynamic_experts(ChooseBy::kHistory, first.history, batch.rows, batch.experts_per_rank(), 4);
  return balancing_moves({batch.rows, dynamic, batch.experts_per_rank()}, {});
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST_CASE("Every method computes every row once, in no less than the products of the mean rank take") {
  for (const auto& [name, item] : Methods::all()) {
    for (const char* ep : {"2", "4", "8"}) {
      const Experiment experiment = layer(name, {std::string("parallel.ep=") + ep});
      const Hardware hardware = sustained(experiment.hardware);
      const MoeShape& shape = experiment.shape;
      const double rows = 1.0 * shape.tokens * shape.top_k;
      const double products =
          3.0 * rows * shape.hidden * shape.intermediate /
          (hardware.cube.macs_per_cycle_16 * hardware.cube.speed * hardware.workers.count(CoreUnit::kMatrix) *
           static_cast<double>(hardware.clock.count));
      INFO(name << ", EP" << ep);
      for (const MicroBatchResult& result : results_of(experiment)) {
        CHECK(sum(result.rows) == Approx(rows * shape.ep));
        CHECK(seconds(result.forward) > products);
        CHECK(seconds(result.backward) > 2 * products);
      }
    }
  }
}

TEST_CASE("Without dynamic experts FEPLB has exactly the tasks of no balancing") {
  First none(layer("none")), feplb(layer("feplb", {"balance.dyn=0"}));
  for (const bool forward : {true, false}) {
    const StreamPass a = none.pass(forward), b = feplb.pass(forward);
    CHECK(described(a.program) == described(b.program));
    CHECK(a.latency() == b.latency());
  }
}

TEST_CASE("Balanced routing moves nothing and costs only that products come in two groups") {
  First none(layer("none", {"routing.kind=balanced"})), feplb(layer("feplb", {"routing.kind=balanced"}));
  CHECK(moves_of(feplb).empty());
  const Duration more = feplb.pass(true).latency() - none.pass(true).latency();
  const MicroBatch batch = none.batch();
  const auto rows = rows_at(batch, 0);
  const auto products = [&](std::size_t from, std::size_t to, std::uint32_t n, std::uint32_t k) {
    const RowsByExpert of(rows.begin() + static_cast<std::ptrdiff_t>(from),
                          rows.begin() + static_cast<std::ptrdiff_t>(to));
    const std::uint32_t streams = none.experiment.work->micro_batches()->with.framework.streams;
    return none.cost.products(counts_of(of), n, k, none.hardware.workers.count(CoreUnit::kMatrix), streams)
        .ideal;
  };
  const MoeShape& shape = none.experiment.shape;
  const std::uint32_t h = shape.hidden, f = shape.intermediate, dyn = 4;
  Duration tails{};
  for (const auto& [n, k] : {std::pair{2 * f, h}, std::pair{h, f}}) {
    const std::size_t all = rows.size(), fixed = all - dyn;
    tails += products(0, fixed, n, k) + products(fixed, all, n, k) - products(0, all, n, k);
  }
  const Duration launches = 3 * none.experiment.program.launch.queued;  // of the second group
  CHECK(microseconds(more) == Approx(microseconds(tails + launches)).margin(2));
}

TEST_CASE("Neither dispatch nor the experts at home wait for the weights of shadows") {
  First fast(layer("faster")), slow(layer("faster", {"hardware.copy_engine.rate=10 GB/s"}));
  // FasterMoE's choice weighs what weights cost: both as the fast engine makes it.
  const MicroBatch batch = fast.batch();
  const auto plan = plan_of(fast.experiment, batch, fast.cost);
  const StreamPass quick = run_stream_pass(fast.experiment, *plan, fast.cost, true),
                   late = run_stream_pass(slow.experiment, *plan, slow.cost, true);
  REQUIRE(quick.program.tasks.size() == late.program.tasks.size());
  // By rank: the first group's tasks, and when the last weights come with the slow engine.
  std::vector<std::uint32_t> permute(fast.experiment.shape.ep, kNone), product = permute;
  std::vector<Time> come(fast.experiment.shape.ep);
  std::uint32_t dispatches = 0;
  for (std::uint32_t t = 0; t < quick.program.tasks.size(); ++t) {
    const StreamTask& task = quick.program.tasks[t];
    if (task.name == KernelName::kDispatch) {
      ++dispatches;
      CHECK(late.result.records[t].start == quick.result.records[t].start);
    }
    if (task.name == KernelName::kPermute) permute[index(task.rank)] = std::min(permute[index(task.rank)], t);
    if (task.name == KernelName::kGmm1) product[index(task.rank)] = std::min(product[index(task.rank)], t);
    if (task.name == KernelName::kWeights)
      for (const StreamTransfer& transfer : task.transfers)
        come[index(transfer.dst)] = std::max(come[index(transfer.dst)], late.result.records[t].end);
  }
  CHECK(dispatches == fast.experiment.shape.ep);
  // Copies beside a permutation share its memory: it may take longer, but what is behind it follows as soon.
  for (std::uint32_t r = 0; r < fast.experiment.shape.ep; ++r) {
    const auto start = [r](const StreamPass& pass, const std::vector<std::uint32_t>& first) {
      return pass.result.records[first[r]].start;
    };
    REQUIRE((permute[r] != kNone && product[r] != kNone));
    CHECK(start(late, permute) == start(quick, permute));
    CHECK(start(late, product) - late.result.records[permute[r]].end ==
          start(quick, product) - quick.result.records[permute[r]].end);
    CHECK(come[r] > start(late, product));
  }
  CHECK(late.latency() > quick.latency());
}

TEST_CASE("A move copies its expert's weights, and its rows there and back") {
  First first(layer("feplb"));
  const StreamPass pass = first.pass(true);
  double expected = 0, copied = 0;
  for (const ExpertMove& move : moves_of(first)) {
    constexpr double kBf16 = 2, kMatrices = 3, kBothWays = 2;
    const MoeShape& shape = first.experiment.shape;
    expected +=
        kBf16 * shape.hidden * (kMatrices * shape.intermediate + kBothWays * first.batch().rows[move.expert]);
  }
  for (const StreamTask& task : pass.program.tasks) {
    if (task.stream < Layer::kWeightCopies) continue;
    for (const StreamTransfer& transfer : task.transfers) copied += static_cast<double>(transfer.bytes.count);
  }
  CHECK(expected > 0);
  CHECK(copied == expected);
}

TEST_CASE("No copy starts before its host has made the plan and submitted it") {
  First first(layer("feplb", {"program.host.balance=300 us"}));
  const StreamPass pass = first.pass(true);
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].stream < Layer::kWeightCopies) continue;
    CHECK(pass.result.records[t].start.time_since_epoch() > 300_us);
  }
}

TEST_CASE("A host that takes longer than the static experts delays the layer one to one") {
  const auto forward = [](const char* balance) {
    First first(layer("feplb", {std::string("program.host.balance=") + balance}));
    return first.pass(true).latency();
  };
  CHECK(forward("30 ms") - forward("20 ms") == 10'000_us);
  CHECK(forward("51 us") - forward("50 us") < 1_us);
}

TEST_CASE("Guests' gradients go home behind the layer, which does not wait for them") {
  First bf16(layer("feplb")), fp32(layer("feplb", {"balance.gradients_fp32=true"}));
  const StreamPass a = bf16.pass(false), b = fp32.pass(false);
  CHECK(a.result.makespan < b.result.makespan);
  CHECK(a.latency() <= a.result.makespan);
}

TEST_CASE("Copies share ports and memory with dispatch: they take longer than alone") {
  First first(layer("feplb"));
  const StreamPass pass = first.pass(true);
  const auto& engine = *first.hardware.copy_engine;
  bool slower = false;
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    const StreamTask& task = pass.program.tasks[t];
    if (task.name != KernelName::kWeights) continue;
    const Duration alone = engine.startup + transfer_time(task.transfers.front().bytes, engine.rate);
    const Duration took = pass.result.records[t].end - pass.result.records[t].start;
    CHECK(took >= alone - 1_ps);
    slower |= took > alone + 1_us;
  }
  CHECK(slower);
}

TEST_CASE("How many ranks a token goes to is what drawn tokens say, within two hundredths") {
  First first(layer("none"));
  const MoeShape& shape = first.experiment.shape;
  KernelCost cost(first.hardware, first.experiment.program, first.experiment.cut.tiling);
  const Layer of(shape, first.hardware, cost);
  const ExchangedBytes estimated = dispatch_of(first.batch(), of);
  RoutingSpec spec = first.experiment.routing;
  spec.micro_batch = kBatchesBefore;
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    const std::vector<std::uint32_t> experts = Routings::get(spec.kind).assign(spec, shape, src);
    double drawn = 0;
    for (std::size_t token = 0; token < experts.size(); token += shape.top_k) {
      std::vector<bool> ranks(shape.ep, false);
      for (std::size_t slot = token; slot < token + shape.top_k; ++slot)
        ranks[experts[slot] / shape.experts_per_rank] = true;
      drawn += static_cast<double>(std::ranges::count(ranks, true));
    }
    CHECK(estimated.sent(src) / of.row_bytes() == Approx(drawn).epsilon(0.02));
  }
}

TEST_CASE("In two halves tokens whose experts lie in both are sent twice") {
  const auto dispatched = [](const char* method) {
    First first(layer(method, {"hardware.copy_engine.rate=1 MB/s"}));  // too slow for shadows to pay
    double bytes = 0;
    for (const StreamTask& task : first.pass(true).program.tasks) {
      for (const StreamTransfer& transfer : task.transfers) {
        if (task.name == KernelName::kDispatch) bytes += static_cast<double>(transfer.bytes.count);
      }
    }
    return bytes;
  };
  CHECK(dispatched("faster_pipe2") > 1.2 * dispatched("faster"));
  CHECK(dispatched("faster") == dispatched("none"));
}

TEST_CASE("The same micro-batches come to the same, whoever ran before") {
  const Experiment experiment = layer("feplb");
  const auto a = results_of(experiment);
  results_of(layer("tutel"));
  const auto b = results_of(experiment);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].forward == b[i].forward);
    CHECK(a[i].backward == b[i].backward);
  }
}

TEST_CASE("What cannot run on streams is refused with what to do") {
  CHECK_THROWS_WITH(layer("fepbl"), Contains("unknown method 'fepbl'; known: faster, faster_pipe2, feplb"));
  CHECK_THROWS_WITH(layer("feplb", {"balance.stop=soon"}), Contains("balance.stop"));
  CHECK_THROWS_WITH(layer("feplb", {"balance.dny=4"}), Contains("did you mean 'dyn'?"));
  const Experiment crowded = layer("triton", {"triton.sms=132"});
  CHECK_THROWS_WITH(check_streams(crowded), Contains("make triton.sms smaller"));
  const Experiment tiles = load_experiment(configs_folder() / "experiments" / "ep4.yaml", {});
  CHECK_THROWS_WITH(check_streams(tiles), Contains("'a3sim run' runs it"));
  CHECK_THROWS_WITH(check_streams(layer("none", {"model.dtype=fp32"})), Contains("model.dtype=bf16"));
  CHECK_THROWS_WITH(compile_all(layer("feplb")),
                    Contains("'a3sim run FILE' runs a micro-batch, 'a3sim run FILE --batches' all"));
}
