#include "models/graph/chunked_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/graph/counter_columns.h"

namespace a3sim {
namespace {

class ChunkedGemmBuilder {
 public:
  explicit ChunkedGemmBuilder(const ChunkedGemm& shape) : shape_(shape) {}

  Graph build() {
    if (shape_.part != ChunkedGemm::Part::kGather) b_ = weights();
    if (shape_.part == ChunkedGemm::Part::kProduct) {
      multiply("GMM", rows_of_a("a", shape_.rows * shape_.ranks, true), "c");
      return std::move(graph_);
    }
    if (shape_.part == ChunkedGemm::Part::kAll) multiply("GMM", rows_of_a("a", shape_.rows, true), "c");
    gate_ = add("start", 1, 32, true);
    if (shape_.meets) {
      one_ = word("one", 1, true);
      gate_ = meet("Start", gate_);
    }
    const std::uint32_t chunks = (shape_.rows + shape_.chunk_rows - 1) / shape_.chunk_rows;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) gather(chunk, chunk + 1 < chunks);
    return std::move(graph_);
  }

 private:
  TensorId add(const std::string& name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph_.add_tensor({name, Layout::kPlain, rows, cols, shape_.dtype, external});
  }
  TensorId word(const std::string& name, std::uint32_t rows, bool external = false) {
    return graph_.add_tensor({name, Layout::kPlain, rows, kCounterColumns, DataType::kInt32, external});
  }
  TensorId rows_of_a(const std::string& name, std::uint32_t rows, bool external) {
    return add(name, rows, shape_.k, external);
  }

  // Adds B as the product reads it: AIVs rewrite it if its rows are not whole lines.
  TensorId weights() {
    const std::uint32_t rows = shape_.transposed ? shape_.n : shape_.k,
                        cols = shape_.transposed ? shape_.k : shape_.n;
    constexpr std::uint32_t kLine = 512;
    const TensorId given = add("b", rows, cols, true);
    if (std::uint64_t{cols} * element_bits(shape_.dtype) % (8 * kLine) == 0) return given;
    const TensorId rewritten = add("b_rewritten", rows, cols, false);
    OperatorNode node = make_node("Rewrite", "Copy", {given}, {rewritten});
    node.split = {{}, {-1}};
    node.cut = CutOptions{.task_rows = std::max(1U, rows / shape_.rewriters)};
    graph_.add_operator(std::move(node));
    return rewritten;
  }

  void add_held(const std::string& name, const std::string& type, TensorId in, TensorId out,
                std::vector<Hold> holds) {
    OperatorNode node = make_node(name, type, {in}, {out});
    node.split.inherits.clear();
    node.cut = CutOptions{};
    node.holds = std::move(holds);
    graph_.add_operator(std::move(node));
  }

  // Adds a meeting of all ranks' vector cores once a tensor is written: those of a rank meet, then each rank
  // tells all others, and once all have told, those of a rank meet again. Returns a flag of it.
  TensorId meet(const std::string& name, TensorId behind) {
    const TensorId ready = word(name + "_ready", 1), told = word(name + "_told", shape_.ranks),
                   met = word(name + "_met", 1);
    add_held(name, "Barrier", behind, ready, {});
    add_held(name + "_ranks", "AllGather", one_, told, {{ready}});
    add_held(name + "_end", "Barrier", told, met, {});
    return met;
  }

  TensorId multiply(const std::string& name, TensorId a, const std::string& result,
                    std::vector<Hold> holds = {}) {
    const std::uint32_t rows = graph_.tensor(a).rows;
    const TensorId c = graph_.add_tensor({result, Layout::kPlain, rows, shape_.n, shape_.result, false});
    OperatorNode node = make_node(name, "GroupedMatmul", {a, b_}, {c});
    node.split = {{{0, 0}}, {-1}};  // in the groups in which its rows arrive, or as one grid of blocks
    if (shape_.groups > 1 && graph_.tensor(a).external) {
      node.split.inherits.clear();
      node.cut =
          CutOptions{.shares = 1, .partitions = rows / (shape_.chunk_rows / shape_.groups) / shape_.ranks};
    }
    node.transposed = shape_.transposed;
    node.holds = std::move(holds);
    graph_.add_operator(std::move(node));
    return c;
  }

  // Adds the gather of a chunk. It may start once the previous chunk has arrived everywhere, and the chunk
  // before that, whose buffer it takes, is multiplied. Where ranks meet, rows are multiplied after the meeting.
  void gather(std::uint32_t chunk, bool more) {
    const std::uint32_t first = chunk * shape_.chunk_rows,
                        rows = std::min(shape_.chunk_rows, shape_.rows - first);
    const TensorId own = rows_of_a(fmt::format("shard_{}", chunk), rows, true);
    const TensorId others = rows_of_a(fmt::format("others_{}", chunk), (shape_.ranks - 1) * rows, false);
    OperatorNode node = make_node(fmt::format("Gather{}", chunk), "GatherChunk", {own, gate_}, {others});
    node.split.output_dims = {shape_.groups > 1 ? 0 : -1};
    graph_.add_operator(std::move(node));
    const TensorId free_buffer = last_product_.value_or(gate_);
    std::vector<Hold> arrived;
    if (shape_.meets) arrived = {{meet(fmt::format("Arrived{}", chunk), others)}};
    if (shape_.part == ChunkedGemm::Part::kAll)
      last_product_ = multiply(fmt::format("GMM{}", chunk), others, fmt::format("c_{}", chunk), arrived);
    if (!more && shape_.part == ChunkedGemm::Part::kAll) return;
    gate_ = add(fmt::format("gate_{}", chunk), 1, 32, false);
    graph_.add_operator(make_node(fmt::format("Gate{}", chunk), "Gate",
                                  {arrived.empty() ? others : arrived[0].tensor, free_buffer}, {gate_}));
    if (shape_.meets && more) gate_ = meet(fmt::format("Free{}", chunk), gate_);
  }

  const ChunkedGemm& shape_;
  Graph graph_;
  TensorId b_{}, gate_{}, one_{};
  std::optional<TensorId> last_product_;  // of the previous chunk
};

}  // namespace

Graph chunked_gemm_graph(const ChunkedGemm& shape) { return ChunkedGemmBuilder(shape).build(); }

}  // namespace a3sim
