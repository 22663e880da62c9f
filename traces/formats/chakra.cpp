#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "sim/core/error.h"
#include "traces/formats/chakra_schema.h"
#include "traces/formats/trace_format.h"

// Execution traces of MLCommons Chakra, as ASTRA-sim reads them. Attributes: github.com/mlcommons/chakra,
// src/feeder/et_feeder_node.cpp.
namespace a3sim {
namespace {

using protozero::pbf_writer;

// The messages of one rank, each behind its length.
class ChakraFile {
 public:
  ChakraFile() {
    pbf_writer(message_).add_string(chakra::kVersion, "0.0.4");
    end();
  }

  struct Node {
    std::string name;
    ChakraType type{};
    std::vector<std::uint64_t> after{};
    Duration start{}, duration{};
    std::vector<std::pair<std::string, std::int64_t>> numbers{};  // attributes
  };
  // Returns the node's id.
  std::uint64_t add(const Node& node) {
    const std::uint64_t id = next_++;
    pbf_writer writer(message_);
    writer.add_uint64(chakra::kId, id);
    writer.add_string(chakra::kName, node.name);
    writer.add_enum(chakra::kType, static_cast<std::int32_t>(node.type));
    writer.add_packed_uint64(chakra::kDataDependencies, node.after.begin(), node.after.end());
    writer.add_uint64(chakra::kStartMicros, micros(node.start));
    if (node.duration > Duration::zero())
      writer.add_uint64(chakra::kDurationMicros, std::max<std::uint64_t>(1, micros(node.duration)));
    for (const auto& [name, number] : node.numbers) {
      pbf_writer attribute(writer, chakra::kAttribute);
      attribute.add_string(chakra::kAttributeName, name);
      attribute.add_int64(chakra::kInt64, number);
    }
    {
      pbf_writer attribute(writer, chakra::kAttribute);
      attribute.add_string(chakra::kAttributeName, "is_cpu_op");
      attribute.add_bool(chakra::kBool, false);
    }
    end();
    return id;
  }
  std::string take() { return std::move(bytes_); }

 private:
  static std::uint64_t micros(Duration time) {
    constexpr std::int64_t kPicoseconds = 1'000'000;
    return static_cast<std::uint64_t>((time.count() + kPicoseconds / 2) / kPicoseconds);
  }
  void end() {
    protozero::add_varint_to_buffer(&bytes_, message_.size());
    bytes_ += message_;
    message_.clear();
  }

  std::string bytes_, message_;
  std::uint64_t next_ = 0;
};

// Writes operators as nodes: on each rank one for its tasks, and one for the rows to each other rank. An operator waits for
// those of the stage before.
class ChakraExport {
 public:
  explicit ChakraExport(std::span<const TracedPass> passes) : passes_(passes) {}

  std::vector<OutputFile> write() {
    const Trace& first = passes_.front().trace;
    files_.resize(first.ranks.size());
    last_.resize(files_.size());
    for (const TracedPass& pass : passes_) add(pass);
    std::vector<OutputFile> output;
    for (std::size_t rank = 0; rank < files_.size(); ++rank)
      output.push_back({fmt::format("a3sim.{}.et", rank), files_[rank].take()});
    return output;
  }

 private:
  using Nodes = std::vector<std::uint64_t>;

  // The work of an operator on one rank.
  struct Sums {
    Duration start = Duration::max(), busy{};
    std::set<std::uint32_t> lanes;
    std::uint64_t operations = 0, hbm_bytes = 0;
    std::map<std::uint32_t, std::uint64_t> sent;  // bytes by rank
  };

  void add(const TracedPass& pass) {
    const Trace& trace = pass.trace;
    if (trace.machine.streams || trace.machine.collectives)
      throw InputError(
          "a trace of this run does not say which bytes go to which rank: export a layer whose rows go by "
          "puts "
          "(experiment.communication: one_sided, no streams)");
    if (trace.machine.group != 0)
      throw InputError(
          "some ranks stand for others in this run, which says nothing of their bytes: run it with "
          "experiment.simulate=all");
    std::vector<std::size_t> order(trace.operators.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t op) { return trace.operators[op].stage; });
    std::vector<Nodes> nodes(files_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      add(trace, order[i], nodes);
      const bool ends_stage =
          i + 1 == order.size() || trace.operators[order[i + 1]].stage != trace.operators[order[i]].stage;
      if (!ends_stage) continue;
      for (std::size_t rank = 0; rank < files_.size(); ++rank)
        if (!nodes[rank].empty()) last_[rank] = std::exchange(nodes[rank], {});
    }
    begin_ += trace.makespan;
  }

  void add(const Trace& trace, std::size_t op, std::vector<Nodes>& nodes) {
    const std::string& name = trace.operators[op].name;
    ++tag_;
    for (std::uint32_t rank = 0; rank < files_.size(); ++rank) {
      const Sums sums = sums_of(trace, op, rank);
      if (!sums.lanes.empty()) {
        ChakraFile::Node node{name, ChakraType::kCompute, last_[rank], begin_ + sums.start,
                              sums.busy / static_cast<std::int64_t>(sums.lanes.size())};
        if (sums.operations > 0)
          node.numbers.emplace_back("num_ops", static_cast<std::int64_t>(sums.operations));
        if (sums.hbm_bytes > 0)
          node.numbers.emplace_back("tensor_size", static_cast<std::int64_t>(sums.hbm_bytes));
        nodes[rank].push_back(files_[rank].add(node));
      }
      for (const auto& [dst, bytes] : sums.sent) {
        ChakraFile::Node node{fmt::format("{} to {}", name, dst), ChakraType::kSend, last_[rank],
                              begin_ + sums.start};
        node.numbers = {{"comm_size", static_cast<std::int64_t>(bytes)},
                        {"comm_src", rank},
                        {"comm_dst", dst},
                        {"comm_tag", tag_}};
        nodes[rank].push_back(files_[rank].add(node));
        node.name = fmt::format("{} from {}", name, rank);
        node.type = ChakraType::kReceive;
        node.after = last_[dst];
        nodes[dst].push_back(files_[dst].add(node));
      }
    }
  }

  static Sums sums_of(const Trace& trace, std::size_t op, std::uint32_t rank) {
    Sums sums;
    for (const TraceTask& task : trace.ranks[rank]) {
      if (task.op != op) continue;
      sums.start = std::min(sums.start, task.start);
      if (task.remote && task.put_bytes > 0) {
        sums.sent[task.dst] += task.put_bytes;
        continue;
      }
      sums.busy += task.end - task.start;
      sums.lanes.insert(task.worker);
      sums.operations += task.operations;
      sums.hbm_bytes += task.hbm_bytes;
    }
    return sums;
  }

  std::span<const TracedPass> passes_;
  std::vector<ChakraFile> files_;
  std::vector<Nodes> last_;  // by rank: nodes of the last stage that has some there
  Duration begin_{};         // of the pass in hand
  std::int64_t tag_ = 0;     // of the operator in hand
};

class ChakraFormat final : public TraceFormat {
 public:
  std::uint64_t most_tasks() const override { return 50'000'000; }
  std::vector<OutputFile> write(std::span<const TracedPass> passes) const override {
    return ChakraExport(passes).write();
  }
};

A3SIM_REGISTER(TraceFormat, "chakra",
               "execution traces of MLCommons Chakra, which ASTRA-sim runs: a file per rank", ChakraFormat);

}  // namespace
}  // namespace a3sim
