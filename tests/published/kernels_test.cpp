#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/run/run_experiment.h"
#include "sim/network/network.h"
#include "sim/runtime/run.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

// A whole MoE-FFN kernel by kernel: collectives of the host between kernels of each rank.
namespace {

const std::vector<std::string> kKernels{"experiment.execution=kernel"};

std::vector<std::string> kernels_with(std::vector<std::string> more) {
  more.insert(more.begin(), kKernels.begin(), kKernels.end());
  return more;
}

// When the tasks of one operator that go to another rank, or all of another operator, begin and end.
struct Span {
  Duration first = Duration::max(), last{};
};

Span span_of(const PassResult& pass, std::size_t rank, const std::string& op) {
  Span span;
  const Ssc& ssc = pass.schedule[rank];
  for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
    const TaskDescriptor& td = ssc.tasks()[t];
    if (ssc.operators()[td.op].name != op || td.dst == rank) continue;
    const TaskRecord& record = pass.run.ranks[rank].records[t];
    span.first = std::min(span.first, record.start.time_since_epoch());
    span.last = std::max(span.last, record.end.time_since_epoch());
  }
  return span;
}

}  // namespace

TEST_CASE(
    "kernels: a balanced all-to-all takes its fixed cost, a cost a peer, and its bytes at the port's rate") {
  const Experiment experiment = small(kernels_with({}));
  const Hardware& hardware = experiment.hardware;
  const Program& program = experiment.program;
  const PassResult forward = run_experiment(experiment, true).front();
  const Duration begin =
      program.launch.alone + program.collective.fixed + program.collective.per_peer * (kEp - 1);
  constexpr std::int64_t kSent = std::int64_t{kTokens} * kTopK * (kEp - 1) / kEp * kHidden * kElement;
  const Duration bytes = transfer_time({kSent}, program.collective.rate);
  for (std::size_t rank = 0; rank < kEp; ++rank) {
    const Span sent = span_of(forward, rank, "Dispatch");
    CHECK(sent.first == begin);
    CHECK(microseconds(sent.last - begin) == Approx(microseconds(bytes)).epsilon(1e-5));
    CHECK(span_of(forward, rank, "GMM1").first >=
          sent.last + hardware.fabric.level("node")->latency + program.launch.queued);
  }
}

TEST_CASE("kernels: collectives begin together and no rank goes on before the last has ended") {
  const Experiment experiment =
      small(kernels_with({"routing.kind=sampled", "routing.skew=2", "routing.seed=3"}));
  for (const PassResult& pass : run_experiment(experiment, true)) {
    const bool forward = pass.name == "forward";
    const std::string collective = forward ? "Combine" : "Combine_bwd",
                      before = forward ? "GMM2" : "GMM_w1_grad";
    Duration last{};
    for (std::size_t rank = 0; rank < kEp; ++rank) last = std::max(last, span_of(pass, rank, before).last);
    Duration begin = Duration::max();
    for (std::size_t rank = 0; rank < kEp; ++rank)
      begin = std::min(begin, span_of(pass, rank, collective).first);
    CHECK(begin >= last + experiment.program.collective.fixed);
  }
}

TEST_CASE("kernels: the same bytes move as under the static schedule, and bounds hold") {
  for (const std::string routing : {"balanced", "sampled"}) {
    const std::vector<std::string> set{"routing.kind=" + routing, "routing.skew=1.5"};
    const std::vector<PassResult> kernels = run_experiment(small(kernels_with(set)), false),
                                  tasks = run_experiment(small(set), false);
    for (std::size_t p = 0; p < kernels.size(); ++p) {
      for (std::size_t r = 0; r < kEp; ++r) {
        CHECK(kernels[p].run.ranks[r].sent == tasks[p].run.ranks[r].sent);
        CHECK(kernels[p].run.ranks[r].received == tasks[p].run.ranks[r].received);
      }
      for (const Duration bound : kernels[p].bounds.time) CHECK(kernels[p].run.makespan >= bound);
    }
  }
}

TEST_CASE("kernels: ranks without rows take part in collectives") {
  const Experiment experiment = small(kernels_with({}));
  RoutingCounts counts(kEp, kEp * kExpertsPerRank);
  counts.at(0, 7) = 40;
  for (const Pass& pass : experiment.passes) {
    const Schedule schedule = compile_pass(experiment, pass, counts).schedule;
    const RunResult result =
        run_schedule(schedule, counts, experiment.hardware, experiment.program,
                     Registry<NetworkBackend>::get("native"), options_of(experiment, false));
    CHECK(result.makespan > 2 * experiment.program.collective.fixed);
    CHECK(result.ranks[0].sent == 40 * kHidden * kElement);
  }
}
