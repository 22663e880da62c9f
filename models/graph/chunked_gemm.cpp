#include "models/graph/chunked_gemm.h"

#include <fmt/format.h>

#include <algorithm>

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
    const std::uint32_t chunks = (shape_.rows + shape_.chunk_rows - 1) / shape_.chunk_rows;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) gather(chunk, chunk + 1 < chunks);
    return std::move(graph_);
  }

 private:
  TensorId add(const std::string& name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph_.add_tensor({name, Layout::kPlain, rows, cols, shape_.dtype, external});
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
    if (cols * element_bytes(shape_.dtype) % kLine == 0) return given;
    const TensorId rewritten = add("b_rewritten", rows, cols, false);
    OperatorNode node = make_node("Rewrite", "Copy", {given}, {rewritten});
    node.split = {{}, {-1}};
    node.cut = CutOptions{.task_rows = std::max(1U, rows / shape_.rewriters)};
    graph_.add_operator(std::move(node));
    return rewritten;
  }

  TensorId multiply(const std::string& name, TensorId a, const std::string& result) {
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
    graph_.add_operator(std::move(node));
    return c;
  }

  // Adds the gather of a chunk. It may start once the previous chunk has arrived everywhere, and the chunk
  // before that, whose buffer it takes, is multiplied.
  void gather(std::uint32_t chunk, bool more) {
    const std::uint32_t first = chunk * shape_.chunk_rows,
                        rows = std::min(shape_.chunk_rows, shape_.rows - first);
    const TensorId own = rows_of_a(fmt::format("shard_{}", chunk), rows, true);
    const TensorId others = rows_of_a(fmt::format("others_{}", chunk), (shape_.ranks - 1) * rows, false);
    OperatorNode node = make_node(fmt::format("Gather{}", chunk), "GatherChunk", {own, gate_}, {others});
    node.split.output_dims = {shape_.groups > 1 ? 0 : -1};
    graph_.add_operator(std::move(node));
    const TensorId free_buffer = last_product_.value_or(gate_);
    if (shape_.part == ChunkedGemm::Part::kAll)
      last_product_ = multiply(fmt::format("GMM{}", chunk), others, fmt::format("c_{}", chunk));
    if (!more && shape_.part == ChunkedGemm::Part::kAll) return;
    gate_ = add(fmt::format("gate_{}", chunk), 1, 32, false);
    graph_.add_operator(make_node(fmt::format("Gate{}", chunk), "Gate", {others, free_buffer}, {gate_}));
  }

  const ChunkedGemm& shape_;
  Graph graph_;
  TensorId b_{}, gate_{};
  std::optional<TensorId> last_product_;  // of the previous chunk
};

}  // namespace

Graph chunked_gemm_graph(const ChunkedGemm& shape) { return ChunkedGemmBuilder(shape).build(); }

}  // namespace a3sim
