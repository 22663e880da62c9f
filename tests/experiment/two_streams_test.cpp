#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"
#include "traces/analysis/critical_path.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Overrides = std::vector<std::string>;

Overrides with(Overrides set, const Overrides& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

const Overrides kCollective = {"experiment.communication=collective", "workers.aiv=48",
                               "experiment.pass=forward"};
const Overrides kKernels = with(kCollective, {"experiment.execution=kernel"});
const Overrides kStreamed = with(kCollective, {"experiment.execution=two_streams"});

PassResult run_first(const Overrides& set) { return run_experiment(small(set), true).front(); }

// When the first task of an operator on rank 0 begins, and when its last one ends; of one expert, or of all.
struct Span {
  Time begin = Time::max(), end{};
};
Span span_of(const PassResult& pass, const std::string& op, std::uint16_t expert = kNoExpert) {
  const Ssc& ssc = pass.schedule[0];
  Span span;
  for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
    const TaskDescriptor& td = ssc.tasks()[t];
    if (ssc.operators()[td.op].name != op || (expert != kNoExpert && td.expert != expert)) continue;
    span.begin = std::min(span.begin, pass.run.ranks[0].records[t].start);
    span.end = std::max(span.end, pass.run.ranks[0].records[t].end);
  }
  REQUIRE(span.begin < span.end);
  return span;
}

// The critical path of a run exists, and sums to its latency.
void check_path(const Overrides& set) {
  const Experiment experiment = small(set);
  for (const PassResult& pass : run_experiment(experiment, true)) {
    const Trace trace = trace_of(experiment, pass);
    Duration sum{};
    for (const PathSegment& segment : critical_path(Causes(trace)).segments) sum += segment.to - segment.from;
    CHECK(sum == pass.run.makespan);
  }
}

}  // namespace

TEST_CASE("in two streams a forward pass that is no more than a chain takes what kernels one by one take") {
  // GMM1, SwiGLU and GMM2 are seen by what follows them as local events are.
  const Duration seen = 3 * small(kStreamed).program.signals.local_visibility;
  CHECK(run_first(kStreamed).run.makespan == run_first(kKernels).run.makespan + seen);
}

TEST_CASE(
    "a micro-batch's rows move while the one before is computed, and kernels of a stream never overlap") {
  const PassResult pass = run_first(
      with(kStreamed, {"experiment.batches=2", "model.tokens=960", "experiment.communication=one_sided"}));
  CHECK(span_of(pass, "Dispatch_b1").begin < span_of(pass, "GMM1").end);
  CHECK(span_of(pass, "Combine").begin < span_of(pass, "GMM2_b1").end);
  const Overrides computed = {"GMM1", "SwiGLU", "GMM2", "GMM1_b1", "SwiGLU_b1", "GMM2_b1"};
  for (std::size_t i = 1; i < computed.size(); ++i)
    CHECK(span_of(pass, computed[i - 1]).end < span_of(pass, computed[i]).begin);
  const Overrides moved = {"Dispatch", "Dispatch_b1", "Combine", "Combine_b1"};
  for (std::size_t i = 1; i < moved.size(); ++i)
    CHECK(span_of(pass, moved[i - 1]).end < span_of(pass, moved[i]).begin);
}

TEST_CASE("rows of all micro-batches are permuted before the first products, and summed behind the last") {
  for (const char* const communication : {"one_sided", "collective"}) {
    const PassResult pass =
        run_first(with(kStreamed, {"experiment.batches=2", "experiment.window=full",
                                   std::string("experiment.communication=") + communication}));
    CHECK(span_of(pass, "Permute_b1").end < span_of(pass, "GMM1").begin);
    CHECK(span_of(pass, "GMM2_b1").end < span_of(pass, "Accumulate").begin);
    CHECK(span_of(pass, "Accumulate").begin < span_of(pass, "Combine_b1").end);
  }
}

TEST_CASE("postponed gradients of weights run before sums that wait for the rows that go home") {
  const PassResult pass =
      run_first(with(kStreamed, {"experiment.pass=backward", "experiment.window=full", "experiment.batches=2",
                                 "experiment.postponed=[GMM_w*_grad*]"}));
  CHECK(span_of(pass, "GMM_w2_grad").begin > span_of(pass, "GMM_gate_grad_b1").end);
  CHECK(span_of(pass, "GMM_w1_grad_b1").end < span_of(pass, "Accumulate_bwd").begin);
}

TEST_CASE("critical paths lead through two streams, by collectives and by puts") {
  check_path(with(kStreamed, {"experiment.pass=both", "experiment.batches=2"}));
  check_path({"experiment.execution=two_streams", "experiment.communication=one_sided", "workers.aiv=48",
              "experiment.batches=3"});
}

TEST_CASE("tokens and columns that do not divide are refused") {
  CHECK_THROWS_WITH(small({"experiment.batches=5"}), Contains("5 micro-batches do not divide 96 tokens"));
  CHECK_THROWS_WITH(small({"experiment.columns=3"}), Contains("3 blocks of columns do not divide 256"));
}

TEST_CASE("a kernel of one expert's rows begins when those are there, and the next expert's behind it") {
  const PassResult pass =
      run_first({"experiment.execution=two_streams", "experiment.communication=one_sided", "workers.aiv=48",
                 "experiment.pass=forward", "experiment.kernel_experts=1", "model.tokens=960"});
  for (std::uint16_t expert = 0; expert < kExpertsPerRank; ++expert) {
    CHECK(span_of(pass, "Dispatch", expert).end < span_of(pass, "GMM1", expert).begin);
    if (expert > 0) CHECK(span_of(pass, "GMM2", expert - 1).end < span_of(pass, "GMM1", expert).begin);
  }
  CHECK(span_of(pass, "Dispatch", 1).begin < span_of(pass, "GMM2", 0).end);
  CHECK(span_of(pass, "Dispatch", 2).end < span_of(pass, "Combine", 0).begin);
}

TEST_CASE("listed operators are a taskflow each, launched when the one before has ended on its rank") {
  const Overrides one = {"workers.aiv=48", "workers.aic=2", "cut.shares=2", "experiment.pass=forward",
                         "model.tokens=960"};
  const Overrides lists = with(one, {"experiment.kernels=[Dispatch GMM1, SwiGLU, GMM2* Combine*]"});
  const PassResult pass = run_first(lists);
  CHECK(span_of(pass, "GMM1").begin < span_of(pass, "Dispatch").end);
  CHECK(span_of(pass, "SwiGLU").begin - span_of(pass, "GMM1").end >= small(lists).program.launch.queued);
  CHECK(span_of(pass, "GMM2").begin - span_of(pass, "SwiGLU").end >= small(lists).program.launch.queued);
  CHECK(span_of(pass, "Combine").begin < span_of(pass, "GMM2").end);
  CHECK(span_of(run_first(one), "SwiGLU").begin < span_of(run_first(one), "GMM1").end);
}

TEST_CASE("postponed gradients of weights run beside the rows that go home") {
  const Overrides backward = with(kStreamed, {"experiment.pass=backward", "model.tokens=960"});
  const PassResult before = run_first(backward),
                   behind = run_first(with(backward, {"experiment.postponed=[GMM_w*_grad]"}));
  CHECK(span_of(before, "GMM_w2_grad").end < span_of(before, "GMM_gate_grad").begin);
  CHECK(span_of(behind, "GMM_w2_grad").begin > span_of(behind, "GMM_gate_grad").end);
  CHECK(span_of(behind, "GMM_w2_grad").begin < span_of(behind, "Combine_bwd").end);
}

TEST_CASE("critical paths lead through kernels of experts and of sources, and listed taskflows") {
  check_path({"experiment.execution=two_streams", "experiment.communication=one_sided", "workers.aiv=48",
              "experiment.kernel_experts=2", "experiment.dispatch=counted"});
  check_path(with(kStreamed, {"experiment.pass=both", "cut.sources=1"}));
  check_path({"workers.aiv=48", "cut.sources=2", "experiment.columns=2", "experiment.dispatch=pull",
              "experiment.kernels=[Counts* Dispatch*, GMM1 SwiGLU, GMM2* Combine*]"});
}

TEST_CASE("lists of kernels that name no operator, name one twice or lead in circles are refused") {
  CHECK_THROWS_WITH(small({"experiment.kernels=[Dispatch GMM3]"}),
                    Contains("no operator is called 'GMM3'") && Contains("experiment.kernels"));
  CHECK_THROWS_WITH(small({"experiment.kernels=[Dispatch, Dispatch*]"}), Contains("'Dispatch' is in two"));
  CHECK_THROWS_WITH(small({"experiment.kernels=[Dispatch]", "experiment.execution=dynamic"}),
                    Contains("execution is static"));
  CHECK_THROWS_WITH(small({"experiment.pass=forward", "experiment.kernels=[Dispatch GMM2]"}),
                    Contains("'GMM2' reads what 'SwiGLU' of a later kernel writes"));
  CHECK_THROWS_WITH(small({"experiment.postponed=[GMM_w1_grad]"}), Contains("two_streams"));
  CHECK_THROWS_WITH(small(with(kStreamed, {"experiment.postponed=[GMM1]"})),
                    Contains("'SwiGLU' reads what 'GMM1' writes, and is not postponed"));
}

TEST_CASE(
    "sources without experts, and counts that are exchanged beside the host's collectives, are refused") {
  CHECK_THROWS_WITH(
      load_experiment(configs_folder() / "experiments" / "gemm.yaml", Overrides{"cut.sources=1"}),
      Contains("cut.sources"));
  CHECK_THROWS_WITH(small(with(kStreamed, {"experiment.dispatch=pull"})), Contains("one_sided"));
}
