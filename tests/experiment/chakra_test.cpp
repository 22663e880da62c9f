#include "sim/experiment/kernels/chakra.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/run_outcome.h"
#include "tests/experiment/small_experiment.h"
#include "tests/scratch_directory.h"
#include "traces/analysis/explanation.h"
#include "traces/formats/trace_format.h"

// Execution traces of Chakra are written here byte by byte, so that reading them is held against the format itself.
namespace a3sim {
namespace {

using Catch::Contains;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7U) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::uint64_t value) { return varint(field * 8) + varint(value); }
std::string text(std::uint32_t field, const std::string& value) {
  return varint(field * 8 + 2) + varint(value.size()) + value;
}
// An attribute of any of the types for whole numbers: int32 7, int64 9, uint32 11, uint64 13; bool 27.
std::string attribute(const std::string& name, std::uint64_t value, std::uint32_t type = 9) {
  return text(10, text(1, name) + number(type, value));
}
std::string node(std::uint64_t id, const std::string& name, std::uint64_t type,
                 const std::string& more = "") {
  return number(1, id) + text(2, name) + number(3, type) + more;
}
std::string after(std::vector<std::uint64_t> ids, std::uint32_t field = 5) {
  std::string bytes;
  for (const std::uint64_t id : ids) bytes += number(field, id);
  return bytes;
}
std::string et_file(const std::vector<std::string>& nodes) {
  std::string bytes;
  const auto add = [&](const std::string& message) { bytes += varint(message.size()) + message; };
  add(text(1, "0.0.4"));
  for (const std::string& one : nodes) add(one);
  return bytes;
}

constexpr std::uint64_t kLoad = 2, kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;
constexpr std::uint64_t kAllReduce = 0, kAllGather = 2, kAllToAll = 6, kReduceScatter = 7;
constexpr std::int64_t kMegabyte = 1 << 20;

// As ASTRA-sim's microbenchmarks: every rank has one collective.
std::string collective_node(std::uint64_t id, std::uint64_t kind, std::uint64_t bytes,
                            const std::string& more = "") {
  return node(id, "collective", kCollective,
              attribute("is_cpu_op", 0, 27) + attribute("comm_type", kind) +
                  attribute("comm_size", bytes, 13) + more);
}

struct ChakraFiles {
  ScratchDirectory folder;
  void add(std::uint32_t rank, const std::vector<std::string>& nodes) {
    folder.add(fmt::format("work.{}.et", rank), et_file(nodes));
  }
  Experiment load(std::vector<std::string> more = {}) const { return load_experiment(folder / "", more); }
};

RunOutcome chakra_outcome(const Experiment& experiment) {
  return experiment.work->prepare(experiment, 1)->run_all(experiment, Record::kTrace, 1).front();
}

// Dies of packages of their own meet over one plane.
std::vector<std::string> on_packages(std::uint32_t ranks) {
  std::string hosts;
  for (std::uint32_t r = 0; r < ranks; ++r) hosts += fmt::format("{}{}", r == 0 ? "" : ", ", 2 * r);
  return {"parallel.hosts=[" + hosts + "]"};
}

// Returns for how many microseconds the critical path is spent on a cause.
double on_path(const RunOutcome& outcome, Blame blame) {
  double sum = 0;
  for (const BlameTimes& times : explain(*outcome.trace).path.blame)
    sum += microseconds(times[static_cast<std::size_t>(blame)]);
  return sum;
}

std::string refusal(const ChakraFiles& workload) {
  try {
    static_cast<void>(workload.load());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Collectives of a Chakra trace move the bytes and take the time of their closed forms") {
  struct Case {
    std::uint64_t kind;
    const char* name;
    std::int64_t rounds;
    bool whole;  // each rank sends all of comm_size to each other, else its part
  };
  for (const Case& one :
       {Case{kAllToAll, "all-to-all", 1, false}, Case{kAllGather, "all-gather", 1, true},
        Case{kReduceScatter, "reduce-scatter", 1, false}, Case{kAllReduce, "all-reduce", 2, false}}) {
    for (const std::uint32_t ranks : {2U, 4U, 8U}) {
      INFO(one.name << " of " << ranks);
      ChakraFiles workload;
      for (std::uint32_t r = 0; r < ranks; ++r) workload.add(r, {collective_node(0, one.kind, kMegabyte)});
      const Experiment experiment = workload.load(on_packages(ranks));
      const RunOutcome outcome = chakra_outcome(experiment);
      const std::int64_t others = ranks - 1, to_peer = one.whole ? kMegabyte : kMegabyte / ranks;
      REQUIRE(outcome.sums.ranks.size() == ranks);
      for (const RankResult& rank : outcome.sums.ranks) {
        CHECK(rank.sent == static_cast<std::uint64_t>(one.rounds * others * to_peer));
        CHECK(rank.received == rank.sent);
      }
      // Its port, or for a single peer its driver, carries what a rank sends.
      const Hardware::Fabric& fabric = experiment.hardware.fabric;
      const Hardware::Fabric::Level& level = fabric.levels[1];
      const Program::Collective& spec = experiment.program.collective;
      const double port = static_cast<double>(fabric.planes[level.plane].egress.count) * level.payload;
      const double seconds = std::max(static_cast<double>(others * to_peer) / port,
                                      static_cast<double>(to_peer) / static_cast<double>(spec.rate.count));
      const double expected =
          static_cast<double>(one.rounds) *
          (static_cast<double>((spec.fixed + spec.per_peer * others).count()) + seconds * 1e12);
      CHECK(static_cast<double>(outcome.latency.count()) == Approx(expected).epsilon(1e-6));
    }
  }
}

TEST_CASE("A Chakra trace's nodes wait for one another, and take their recorded time or the machine's") {
  constexpr std::uint64_t kOps = 1'000'000'000'000, kBytes = 1'000'000'000;
  ChakraFiles workload;
  const auto sized = attribute("num_ops", kOps) + attribute("tensor_size", 1000, 13);
  workload.add(0, {node(5, "first", kCompute, number(7, 30) + sized),
                   node(6, "load", kLoad, attribute("tensor_size", kBytes, 13) + after({5}, 4)),
                   node(9, "second", kCompute, number(7, 12) + after({5, 6}))});
  const Experiment experiment = workload.load();
  const double load = experiment.hardware.memory.as_reads(kBytes, 0) /
                      static_cast<double>(experiment.hardware.memory.hbm_read.count) * 1e6;
  CHECK(static_cast<double>(chakra_outcome(experiment).latency.count()) * 1e-6 ==
        Approx(30 + load + 12).epsilon(1e-6));
  // What a recorded kernel was spent on nobody knows; a load is the HBM's.
  CHECK(on_path(chakra_outcome(experiment), Blame::kUnknown) == Approx(30 + 12).epsilon(1e-6));
  CHECK(on_path(chakra_outcome(experiment), Blame::kHbm) == Approx(load).epsilon(1e-6));

  const Experiment machine = workload.load({"kernel.compute=machine"});
  const Hardware& hardware = machine.hardware;
  const double peak = 2 * hardware.cube.macs_per_cycle_16 * hardware.workers.count(CoreUnit::kMatrix) *
                      static_cast<double>(hardware.clock.count);
  const RunOutcome outcome = chakra_outcome(machine);
  CHECK(static_cast<double>(outcome.latency.count()) * 1e-6 ==
        Approx(static_cast<double>(kOps) / peak * 1e6 + load + 12).epsilon(1e-6));
  REQUIRE(outcome.trace);
  CHECK(outcome.trace->operators[0].name == "first");
  CHECK(outcome.trace->ranks[0].size() == 3);
  CHECK(on_path(outcome, Blame::kCube) == Approx(static_cast<double>(kOps) / peak * 1e6).epsilon(1e-6));
  CHECK(on_path(outcome, Blame::kUnknown) == Approx(12).epsilon(1e-6));
}

TEST_CASE("Sends meet their receives, and collectives of groups their members") {
  ChakraFiles workload;
  const auto to = [](const char* key, std::uint32_t peer) {
    return attribute(key, peer, 7) + attribute("comm_tag", 3, 7) + attribute("comm_size", kMegabyte);
  };
  const auto group = [](const std::string& name) { return text(10, text(1, "pg_name") + text(29, name)); };
  workload.add(
      0, {node(0, "work", kCompute, number(7, 100)), node(1, "give", kSend, to("comm_dst", 2) + after({0}))});
  workload.add(1, {collective_node(0, kAllToAll, kMegabyte, group("late")),
                   collective_node(1, kAllGather, 1000, group("late") + after({0}))});
  workload.add(2, {node(0, "take", kReceive, to("comm_src", 0)),
                   collective_node(1, kAllToAll, kMegabyte, group("late") + after({0})),
                   collective_node(2, kAllGather, 1000, group("late") + after({1}))});
  const Experiment experiment = workload.load(on_packages(3));
  const RunOutcome outcome = chakra_outcome(experiment);
  CHECK(outcome.sums.ranks[0].sent == kMegabyte);
  CHECK(outcome.sums.ranks[1].sent == kMegabyte / 2 + 1000);
  CHECK(outcome.sums.ranks[2].received == kMegabyte + kMegabyte / 2 + 1000);
  // 100 us of work, the send, and then both collectives of two ranks; each has the fixed time and one peer.
  const Program::Collective& spec = experiment.program.collective;
  const double bytes = kMegabyte + kMegabyte / 2 + 1000;
  CHECK(static_cast<double>(outcome.latency.count()) ==
        Approx(1e8 + static_cast<double>((3 * (spec.fixed + spec.per_peer)).count()) +
               bytes / static_cast<double>(spec.rate.count) * 1e12)
            .epsilon(1e-6));
}

TEST_CASE("What is wrong with a Chakra trace is said with its file and node") {
  const auto wrong = [](const std::vector<std::vector<std::string>>& ranks) {
    ChakraFiles workload;
    for (std::uint32_t r = 0; r < ranks.size(); ++r) workload.add(r, ranks[r]);
    return refusal(workload);
  };
  CHECK_THAT(
      wrong({{node(1, "a", kCompute, after({2})), node(2, "b", kCompute, after({1}))}}),
      Contains("work.0.et: node 1 ('a'): it waits for itself, through node 1 of rank 0, node 2 of rank 0"));
  // A circle through both ranks: each has its collectives in another order.
  const auto first = collective_node(1, kAllToAll, 64, text(10, text(1, "pg_name") + text(29, "x")));
  const auto second =
      collective_node(2, kAllToAll, 64, text(10, text(1, "pg_name") + text(29, "y")) + after({1}));
  const auto swapped = collective_node(1, kAllToAll, 64, text(10, text(1, "pg_name") + text(29, "y")));
  const auto behind =
      collective_node(2, kAllToAll, 64, text(10, text(1, "pg_name") + text(29, "x")) + after({1}));
  CHECK_THAT(wrong({{first, second}, {swapped, behind}}), Contains("it waits for itself"));
  CHECK_THAT(wrong({{node(1, "a", kCompute, after({7}))}}),
             Contains("node 1 ('a'): it waits for node 7, which the file has not"));
  CHECK_THAT(wrong({{node(1, "a", kCompute), node(1, "b", kCompute)}}),
             Contains("node 1 ('b'): there is another node of this id"));
  CHECK_THAT(wrong({{node(1, "a", 42)}}), Contains("node 1 ('a'): type 42, expected"));
  CHECK_THAT(wrong({{collective_node(1, 77, 64)}}), Contains("comm_type 77"));
  CHECK_THAT(
      wrong({{collective_node(1, kAllToAll, 64)}, {collective_node(1, kAllGather, 64)}}),
      Contains(
          "work.1.et: node 1 ('collective'): all-gather of 64 bytes, and all-to-all of 64 bytes on rank 0"));
  CHECK_THAT(wrong({{collective_node(1, kAllToAll, 64)}, {node(1, "a", kCompute)}}),
             Contains("rank 1 of its group has no collective"));
  CHECK_THAT(wrong({{collective_node(1, kAllToAll, 64), collective_node(2, kAllToAll, 64)},
                    {collective_node(1, kAllToAll, 64)}}),
             Contains("work.0.et: node 2 ('collective'): collective 1 of its group, which rank 1 has not"));
  CHECK_THAT(wrong({{node(1, "a", kSend, attribute("comm_dst", 1) + attribute("comm_size", 8))},
                    {node(1, "b", kCompute)}}),
             Contains("there is no receive for it on rank 1"));
  CHECK_THAT(wrong({{node(1, "a", kSend, attribute("comm_size", 8))}}), Contains("a send without comm_dst"));
  CHECK_THAT(wrong({{node(1, "a", kSend, attribute("comm_dst", 5))}}), Contains("its peer is rank 5 of 1"));

  ChakraFiles cut;
  const std::string whole = et_file({node(1, "a", kCompute), node(2, "b", kCompute)});
  cut.folder.add("work.0.et", whole.substr(0, whole.size() - 3));
  CHECK_THAT(refusal(cut), Contains("work.0.et: it ends within the message at byte 16"));
  ChakraFiles other;
  other.folder.add("work.0.et", "{\"nodes\": []}");
  CHECK_THAT(refusal(other), Contains("work.0.et: it ends within the message at byte 0"));
  ChakraFiles empty;
  empty.folder.add("work.0.et", "");
  CHECK_THAT(refusal(empty), Contains("work.0.et: it is empty"));
  ChakraFiles missing;
  missing.add(0, {node(1, "a", kCompute)});
  missing.add(2, {node(1, "a", kCompute)});
  CHECK_THAT(refusal(missing), Contains("no file of rank 1"));
  missing.folder.add("other.2.et", et_file({}));
  CHECK_THAT(refusal(missing), Contains("are both of rank 2"));
}

TEST_CASE("A layer that is exported as Chakra traces comes back with the same bytes on the links") {
  const Experiment layer = small({"experiment.pass=forward", "parallel.hosts=[0, 2, 4, 6]"});
  const RunOutcome run = chakra_outcome(layer);
  REQUIRE(run.trace);
  const std::vector<TracedPass> passes{{"forward", *run.trace}};
  ChakraFiles exported;
  for (const OutputFile& file : TraceFormats::get("chakra").write(passes))
    exported.folder.add(file.path, file.contents);
  const RunOutcome replayed = chakra_outcome(exported.load({"parallel.hosts=[0, 2, 4, 6]"}));
  REQUIRE(replayed.sums.ranks.size() == kEp);
  for (std::size_t rank = 0; rank < kEp; ++rank) {
    CHECK(replayed.sums.ranks[rank].sent == run.sums.ranks[rank].sent);
    CHECK(replayed.sums.ranks[rank].sent > 0);
  }
}

}  // namespace
}  // namespace a3sim
