#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/step/parameter_buckets.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

const std::vector<std::string> kEightRanks = {"parallel.dp=8", "step.global_batch=16"};
constexpr double kRanks = 8, kMicroBatches = 2;

std::vector<std::string> joined(std::vector<std::string> set, const std::vector<std::string>& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

// The tasks with this name, in the order of the program.
std::vector<std::uint32_t> named(const Ran& ran, const std::string& name) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = 0; t < ran.run.written.program.tasks.size(); ++t)
    if (ran.run.written.program.tasks[t].name == name) found.push_back(t);
  return found;
}

double bytes_of(const Ran& ran, const std::string& name) {
  double bytes = 0;
  for (const std::uint32_t t : named(ran, name))
    for (const StreamTransfer& transfer : ran.run.written.program.tasks[t].transfers)
      bytes += static_cast<double>(transfer.bytes.count);
  return bytes;
}

double parameters_of(const Ran& ran) {
  double sum = 0;
  for (const std::uint32_t b : ran.prepared.layout.blocks_of(0))
    sum += ran.prepared.blocks[b].dense_parameters;
  return sum;
}

Time start_of(const Ran& ran, std::uint32_t task) { return ran.run.result.records[task].start; }
Time end_of(const Ran& ran, std::uint32_t task) { return ran.run.result.records[task].end; }

}  // namespace

TEST_CASE("spread weights are gathered one block ahead, forward and backward") {
  const Ran ran = run_text(kDense, joined(kEightRanks, {"step.fsdp=true"}));
  const std::vector<std::uint32_t> ahead = named(ran, "Gather"), back = named(ran, "Gather_bwd"),
                                   reduced = named(ran, "Reduce_bwd");
  const std::size_t blocks = ran.prepared.layout.blocks();
  REQUIRE(ahead.size() == blocks * 2);
  REQUIRE(back.size() == blocks * 2);
  REQUIRE(reduced.size() == blocks * 2);
  // Block b's gradients leave once its pass ends; the weights of block b + 1, which comes behind it, are there by then.
  for (std::size_t b = 0; b + 1 < blocks; ++b) CHECK(end_of(ran, back[b + 1]) <= start_of(ran, reduced[b]));
  // And not two ahead: a block's weights come once the block before the last one has ended.
  for (std::size_t b = 2; b < blocks; ++b) CHECK(start_of(ran, back[b]) >= start_of(ran, reduced[b - 2]));
}

TEST_CASE("gradients have a width of their own on their way") {
  const Ran four = run_text(kDense, joined(kEightRanks, {"step.fsdp=true"})),
            two = run_text(kDense, joined(kEightRanks, {"step.fsdp=true", "step.reduce_bytes=2"}));
  const double sent = kMicroBatches * parameters_of(four) * (kRanks - 1) / kRanks;
  CHECK(bytes_of(four, "Reduce_bwd") == Approx(4 * sent).epsilon(1e-5));
  CHECK(bytes_of(two, "Reduce_bwd") == Approx(2 * sent).epsilon(1e-5));
  CHECK(two.prepared.memory[0].gradients == four.prepared.memory[0].gradients);
}

TEST_CASE("without a pipeline gradients leave bucket by bucket beside the last micro-batch's backward pass") {
  const Ran beside = run_text(kDense, joined(kEightRanks, {"step.dp_overlap=reduce", "step.bucket=1"})),
            behind = run_text(kDense, joined(kEightRanks, {"step.dp_overlap=none"}));
  CHECK(named(behind, "Reduce_bwd").size() == 1);
  const std::vector<std::uint32_t> buckets = named(beside, "Reduce_bwd");
  CHECK(buckets.size() == beside.prepared.layout.blocks());
  CHECK(bytes_of(beside, "Reduce_bwd") == Approx(bytes_of(behind, "Reduce_bwd")).epsilon(1e-5));
  const Time passes = end_of(beside, named(beside, "Weights_bwd").back());
  CHECK(end_of(beside, buckets.front()) < passes);
  CHECK(start_of(beside, buckets.back()) >= passes);
  CHECK(beside.run.result.makespan < behind.run.result.makespan);
}

TEST_CASE("a bucket is full from its least number of parameters on, from the last block backwards") {
  const Ran ran = run_text(kDense, kEightRanks);
  const double block = ran.prepared.blocks[1].dense_parameters;  // a layer
  const ChunkBuckets all(ran.prepared.layout, ran.prepared.blocks, 0, 1e12),
      each(ran.prepared.layout, ran.prepared.blocks, 0, 0),
      pairs(ran.prepared.layout, ran.prepared.blocks, 0, 1.5 * block);
  CHECK(all.all().size() == 1);
  CHECK(each.all().size() == 10);
  // The head and two layers; two layers each; the embedding by itself.
  CHECK(pairs.all().size() == 5);
  CHECK(pairs.of(0) == 0);
  CHECK(pairs.of(9) == 4);
  CHECK(pairs.all().back().first == 7);
}

TEST_CASE("spread gradients are added up per micro-batch, and a die holds its part of them") {
  const Ran one = run_text(kDense, kEightRanks),
            two = run_text(kDense, joined(kEightRanks, {"step.zero2=true"}));
  CHECK(bytes_of(two, "Reduce_bwd") == Approx(kMicroBatches * bytes_of(one, "Reduce_bwd")).epsilon(1e-5));
  CHECK(two.prepared.memory[0].gradients == Approx(one.prepared.memory[0].gradients / kRanks));
  CHECK(two.prepared.memory[0].weights == one.prepared.memory[0].weights);
  CHECK(two.prepared.memory[0].states == one.prepared.memory[0].states);
}

TEST_CASE("replicas spread over fewer ranks, and add their parts up once per step") {
  const Ran all = run_text(kDense, joined(kEightRanks, {"step.fsdp=true"})),
            two = run_text(kDense, joined(kEightRanks, {"step.fsdp=true", "step.replicas=2"}));
  const double shards = kRanks / 2, parameters = parameters_of(all);
  CHECK(bytes_of(two, "Gather_bwd") ==
        Approx(kMicroBatches * parameters * 2 * (shards - 1) / shards).epsilon(1e-5));
  // Each of two replicas sends half of its part twice: reduced, then gathered.
  CHECK(bytes_of(two, "ReduceReplicas_bwd") == Approx(parameters / shards * 4).epsilon(1e-4));
  CHECK(two.prepared.memory[0].states == Approx(2 * all.prepared.memory[0].states));
  // Dies of a CP group hold the same weights, so that these are spread over them, too.
  const Ran cp = run_text(
      kDense, {"parallel.dp=4", "parallel.cp=2", "step.global_batch=8", "step.fsdp=true", "step.replicas=2"});
  for (const char* const name : {"Gather_bwd", "ReduceReplicas_bwd"})
    CHECK(bytes_of(cp, name) == Approx(bytes_of(two, name)).epsilon(1e-5));
  CHECK(cp.prepared.memory[0].states == Approx(two.prepared.memory[0].states));
  CHECK_THROWS_WITH(run_text(kDense, joined(kEightRanks, {"step.replicas=3"})),
                    Catch::Contains("step.replicas") && Catch::Contains("1, 2, 4, 8"));
}

TEST_CASE("dualpipe holds weights twice, states once, and adds gradients of both copies up") {
  const std::vector<std::string> set = {"parallel.pp=2", "parallel.dp=2", "step.global_batch=16"};
  const Ran one = run_text(kDense, joined(set, {"step.schedule=1f1b"})),
            two = run_text(kDense, joined(set, {"step.schedule=dualpipe"}));
  const auto sum = [](const Ran& ran, double StageMemory::* what) {
    double bytes = 0;
    for (const StageMemory& stage : ran.prepared.memory) bytes += stage.*what;
    return bytes;
  };
  CHECK(sum(two, &StageMemory::weights) == Approx(2 * sum(one, &StageMemory::weights)));
  CHECK(sum(two, &StageMemory::gradients) == Approx(2 * sum(one, &StageMemory::gradients)));
  CHECK(sum(two, &StageMemory::states) == Approx(sum(one, &StageMemory::states)));
  CHECK(two.prepared.memory[0].total() == Approx(two.prepared.memory[1].total()));
  // Both stages have all parameters. Of the halves that DP ranks hold each sends half to the other copy.
  double parameters = 0;
  for (const std::uint32_t b : two.prepared.layout.blocks_of(0))
    parameters += two.prepared.blocks[b].dense_parameters;
  CHECK(bytes_of(two, "ReduceCopies_bwd") == Approx(2 * parameters / 2 * 4 / 2).epsilon(1e-4));
  CHECK(bytes_of(one, "ReduceCopies_bwd") == 0);
  // As many products in all.
  CHECK(two.accounts.size() == 2);
  CHECK_THROWS_WITH(run_text(kDense, joined(set, {"step.schedule=dualpipe", "step.fsdp=true"})),
                    Catch::Contains("step.fsdp"));
}

TEST_CASE("two micro-batches beside one another hold one's activations and a block's more") {
  const std::vector<std::string> set = {"parallel.dp=4", "parallel.ep=4", "step.global_batch=32",
                                        "model.layers=[embedding, 8 moe, head]"};
  const auto most = [](const Ran& ran) {
    double bytes = 0;
    for (const auto& [time, now] : activations_of(ran.run.written, ran.run.result, 0))
      bytes = std::max(bytes, now);
    return bytes;
  };
  const Ran one = run_text(kSmall, set),
            two = run_text(kSmall, joined(set, {"step.overlap=two_micro_batches"}));
  double largest = 0;
  for (const BlockTimes& block : two.prepared.blocks) largest = std::max(largest, block.kept);
  CHECK(most(two) >= most(one));
  CHECK(most(two) <= most(one) + 2 * largest);
  CHECK(two.prepared.memory[0].activations <= one.prepared.memory[0].activations + largest);
}

TEST_CASE("exchanges beside another micro-batch take as much longer as is said") {
  const std::vector<std::string> set = {"parallel.dp=4", "parallel.ep=4", "step.global_batch=32",
                                        "step.overlap=two_micro_batches"};
  const auto paired = [](const Ran& ran) { return seconds(ran.accounts[0].paired.total); };
  const Ran plain = run_text(kSmall, set), twice = run_text(kSmall, joined(set, {"step.exchange_stretch=2"}));
  CHECK(paired(twice) == Approx(2 * paired(plain)).epsilon(0.05));
  CHECK(seconds(twice.accounts[0].unpaired.total) ==
        Approx(seconds(plain.accounts[0].unpaired.total)).epsilon(0.01));
}

TEST_CASE("experts' weight gradients run before the exchange that follows, if they are not put off") {
  const std::vector<std::string> set = {"parallel.dp=4", "parallel.ep=4", "step.global_batch=32",
                                        "step.overlap=two_micro_batches"};
  const auto behind_weights = [](const Ran& ran) {
    const StreamProgram& program = ran.run.written.program;
    std::size_t count = 0;
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
      if (program.tasks[t].name == "Dispatch_bwd" && ran.run.written.tasks[t].paired)
        for (const std::uint32_t before : program.tasks[t].after)
          count += program.tasks[before].name == "ExpertWeights_bwd" ? 1 : 0;
    return count;
  };
  CHECK(behind_weights(run_text(kSmall, set)) == 0);
  CHECK(behind_weights(run_text(kSmall, joined(set, {"step.weights_beside=false"}))) == 7 * 4);
}

TEST_CASE("tokens that are sent once per expert are copied before they leave") {
  const std::vector<std::string> set = {"parallel.dp=4", "parallel.ep=4", "step.global_batch=32"};
  const auto vector_time = [](const Ran& ran) {
    const ExpertTimes& times = experts_of(ran.prepared)->front();
    return at(times.forward.experts.classes, TimeClass::kVector);
  };
  CHECK(vector_time(run_text(kSmall, joined(set, {"program.bulk.once_a_rank=false"}))) >
        vector_time(run_text(kSmall, joined(set, {"program.bulk.once_a_rank=true"}))));
}

TEST_CASE("8-bit gradients, a missing link to the host and heads that do not divide are refused") {
  CHECK_THROWS_WITH(run_text(kDense, {"model.dtype=int8"}), Catch::Contains("model.dtype"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.optimizer.swapped=true"}), Catch::Contains("step.host.link"));
  CHECK_NOTHROW(run_text(kDense, {"step.optimizer.swapped=true", "step.host.link=25 GB/s"}));
  CHECK_THROWS_WITH(
      run_text(kDense, {"parallel.cp=3", "parallel.tp=1", "step.sequence=3072", "step.cp_exchange=ulysses"}),
      Catch::Contains("step.cp_exchange"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.documents=3"}), Catch::Contains("step.documents"));
}

}  // namespace a3sim
