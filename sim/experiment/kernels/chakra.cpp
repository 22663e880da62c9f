#include "sim/experiment/kernels/chakra.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/whole_time.h"
#include "sim/experiment/kernels/kernel.h"

namespace a3sim {
namespace {

// Streams of a rank. Behind them is one for each destination of sends, which run side by side, and one for each group.
enum ChakraStream : std::uint32_t { kComputeStream, kHostStream, kMemoryStream, kFirstSendStream };

// Writes the tasks of a joint graph on a machine.
class ChakraWriter {
 public:
  ChakraWriter(const ChakraPlan& plan, ChakraCompute compute, KernelCost& cost)
      : plan_(plan), compute_(compute), cost_(cost) {}

  KernelWork write() {
    program_.ranks = static_cast<std::uint32_t>(plan_.graph.ranks.size());
    program_.kinds = {{"cores", cost_.hardware().workers.count(CoreUnit::kMatrix)}};
    program_.streams = {"COMPUTE", "HOST", "MEMORY"};
    for (const std::uint32_t to : plan_.destinations) program_.streams.push_back(fmt::format("P2P_{}", to));
    for (std::size_t g = 0; g < plan_.groups.size(); ++g)
      program_.streams.push_back(g == 0 ? "COLLECTIVES" : fmt::format("COLLECTIVES_{}", g));
    for (const ChakraRank& rank : plan_.graph.ranks) ends_.emplace_back(rank.nodes.size());
    for (const std::uint32_t event : plan_.order) add(plan_.events[event]);
    KernelWork work;
    work.program = std::move(program_);
    return work;
  }

 private:
  const ChakraNode& node(ChakraPlace at) const { return plan_.graph.ranks[at.rank].nodes[at.node]; }
  // Returns the name of a node, or of its type where there are very many names.
  std::string task_name(const ChakraNode& node) const {
    if (plan_.named && !node.name.empty()) return node.name;
    return std::string(node.type == ChakraType::kCollective ? name_of(node.collective) : name_of(node.type));
  }
  std::uint32_t send_stream(std::uint32_t to) const {
    const auto at = std::ranges::lower_bound(plan_.destinations, to);
    return kFirstSendStream + static_cast<std::uint32_t>(at - plan_.destinations.begin());
  }
  std::uint32_t group_stream(std::uint32_t group) const {
    return kFirstSendStream + static_cast<std::uint32_t>(plan_.destinations.size()) + group;
  }
  std::vector<std::uint32_t>& ends(ChakraPlace at) { return ends_[at.rank][at.node]; }

  // Returns the tasks with which all that the event's nodes wait for ends.
  std::vector<std::uint32_t> before(const ChakraEvent& event) {
    std::vector<std::uint32_t> tasks;
    for (const ChakraPlace at : event.nodes)
      for (const std::uint32_t after : plan_.after[at.rank][at.node]) {
        const std::vector<std::uint32_t>& some = ends({at.rank, after});
        tasks.insert(tasks.end(), some.begin(), some.end());
      }
    std::ranges::sort(tasks);
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    return tasks;
  }

  void add(const ChakraEvent& event) {
    const ChakraPlace first = event.nodes.front();
    std::vector<std::uint32_t> after = before(event);
    switch (node(first).type) {
      case ChakraType::kCollective:
        return add_collective(event, std::move(after));
      case ChakraType::kSend:
      case ChakraType::kReceive:
        return add_send(event, std::move(after));
      case ChakraType::kInvalid:
      case ChakraType::kMetadata:
        ends(first) = std::move(after);  // no work: what waits for it waits for what it waits for
        return;
      default:
        ends(first) = {program_.add(alone(first, std::move(after)))};
    }
  }

  // Returns the task of a node that involves one rank.
  StreamTask alone(ChakraPlace at, std::vector<std::uint32_t> after) const {
    const ChakraNode& one = node(at);
    StreamTask task{.name = task_name(one), .rank = RankId{at.rank}};
    task.after = std::move(after);
    const bool compute = one.type == ChakraType::kCompute;
    task.stream = one.on_host ? kHostStream : compute ? kComputeStream : kMemoryStream;
    const bool sized = one.operations > 0 || one.tensor_bytes > 0;
    if (one.on_host || !sized ||
        (compute && compute_ == ChakraCompute::kRecorded && one.duration > Duration::zero())) {
      task.hold = one.duration;
      task.works_in_hold = !one.on_host;
      return task;
    }
    task.matrix = one.operations > 0;
    task.macs = static_cast<double>(one.operations) / 2;
    task.job = job_of(one);
    return task;
  }

  // Returns the machine's time for operations and bytes: the longer of the matrix units' peak and the HBM's rate.
  MemoryJob job_of(const ChakraNode& one) const {
    const Hardware& machine = cost_.hardware();
    const auto bytes = static_cast<double>(one.tensor_bytes);
    const bool stores = one.type == ChakraType::kStore;
    const double peak = 2.0 * machine.cube.macs_per_cycle_16 * machine.workers.count(CoreUnit::kMatrix) *
                        static_cast<double>(machine.clock.count) * machine.cube.speed;
    const double read = machine.memory.as_reads(stores ? 0 : bytes, stores ? bytes : 0);
    MemoryJob job;
    job.bytes[static_cast<std::size_t>(Resource::kHbm)] = read;
    job.arithmetic = Duration(whole_picoseconds(1e12 * static_cast<double>(one.operations) / peak));
    job.ideal = std::max(
        job.arithmetic,
        Duration(whole_picoseconds(1e12 * read / static_cast<double>(machine.memory.hbm_read.count))));
    job.hbm = job.ideal - job.arithmetic;
    return job;
  }

  void add_send(const ChakraEvent& event, std::vector<std::uint32_t> after) {
    const ChakraPlace from = event.nodes.front(), to = event.nodes.back();
    const Program::Collective& spec = cost_.program().collective;
    StreamTask task{.name = task_name(node(from)), .rank = RankId{from.rank}, .stream = send_stream(to.rank)};
    task.after = std::move(after);
    task.hold = spec.fixed + spec.per_peer;
    const Bytes bytes{static_cast<std::int64_t>(node(from).bytes)};
    if (bytes.count > 0 && from.rank != to.rank) task.transfers = {{RankId{to.rank}, bytes, spec.rate}};
    ends(from) = {program_.add(std::move(task))};
    ends(to) = ends(from);
  }

  // Every rank sends to every other at once. A rank goes on when all have sent, so that it has all that it gets.
  void add_collective(const ChakraEvent& event, std::vector<std::uint32_t> after) {
    for (const CollectivePhase& step : steps_of(event)) {
      std::vector<std::uint32_t> tasks;
      for (std::size_t member = 0; member < event.nodes.size(); ++member)
        tasks.push_back(program_.add(sends(event, step, member, after)));
      after = std::move(tasks);
    }
    for (const ChakraPlace at : event.nodes) ends(at) = after;
  }

  // Bytes that each rank sends to each other; if only the root sends or receives, to or from it.
  struct CollectivePhase {
    std::uint64_t to_peer = 0;
    bool from_root = false, to_root = false;
  };
  std::vector<CollectivePhase> steps_of(const ChakraEvent& event) const {
    const std::uint64_t bytes = node(event.nodes.front()).bytes, part = bytes / event.nodes.size();
    using enum ChakraCollective;
    switch (node(event.nodes.front()).collective) {
      case kAllReduce:
        return {{part}, {part}};  // reduce-scatter, all-gather
      case kAllGather:
        return {{bytes}};
      case kAllToAll:
      case kReduceScatter:
      case kReduceScatterBlock:
        return {{part}};
      case kReduce:
        return {{part}, {part, false, true}};  // reduce-scatter, gather
      case kBroadcast:
        return {{part, true}, {part}};  // scatter, all-gather
      case kGather:
        return {{bytes, false, true}};
      case kScatter:
        return {{part, true}};
      case kBarrier:
        return {{}};
    }
    return {};
  }

  StreamTask sends(const ChakraEvent& event, const CollectivePhase& step, std::size_t member,
                   const std::vector<std::uint32_t>& after) const {
    const ChakraPlace at = event.nodes[member];
    const Program::Collective& spec = cost_.program().collective;
    StreamTask task{
        .name = task_name(node(at)), .rank = RankId{at.rank}, .stream = group_stream(event.group)};
    task.after = after;
    task.hold = spec.fixed + spec.per_peer * (event.nodes.size() - 1);
    if (step.to_peer == 0 || (step.from_root && member > 0)) return task;
    for (std::size_t other = 0; other < event.nodes.size(); ++other) {
      if (other == member || (step.to_root && other > 0)) continue;
      task.transfers.push_back(
          {RankId{event.nodes[other].rank}, Bytes{static_cast<std::int64_t>(step.to_peer)}, spec.rate});
    }
    return task;
  }

  const ChakraPlan& plan_;
  ChakraCompute compute_;
  KernelCost& cost_;
  StreamProgram program_;
  std::vector<std::vector<std::vector<std::uint32_t>>> ends_;  // by rank and node: tasks that end with it
};

// Reads the traces of all ranks of a workload, which lie in one folder.
KernelKind::Write read_chakra_kernel(const Config& config) {
  const std::filesystem::path folder = config.file("folder");
  const auto compute = config.choice("compute", ChakraCompute::kRecorded);
  if (folder.empty()) return [](KernelCost&) { return KernelWork{}; };
  try {
    const auto plan = std::make_shared<const ChakraPlan>(plan_chakra(read_chakra(folder)));
    return [plan, compute](KernelCost& cost) { return ChakraWriter(*plan, compute, cost).write(); };
  } catch (const InputError& error) {
    config.error("folder", error.what());
    return [](KernelCost&) { return KernelWork{}; };
  }
}

A3SIM_REGISTER(KernelKind, "chakra", "execution traces of MLCommons Chakra, a file per rank",
               KernelKind{read_chakra_kernel, {"folder", "compute"}});

}  // namespace
}  // namespace a3sim
