#include "models/graph/expert_parallel.h"

#include "models/graph/builder.h"
#include "models/operators/quantized_row.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kWordColumns = 8;  // of int32: 32 bytes, the least that a core copies

class Builder {
 public:
  Builder(const MoeShape& shape, const ExpertParallelOptions& options)
      : b_{shape, {}}, options_(options), counts_(b_.counts()) {}

  // The tensors for the experts: rows, and with int8 a scale per row.
  struct Received {
    TensorId rows, scales;
  };

  Received dispatch() {
    const bool int8 = options_.dispatched == DataType::kInt8;
    if (int8 && options_.pull) return pulled();
    const std::uint32_t hidden = b_.shape.hidden;
    TensorId tokens = tensor("tokens", Layout::kTokens, hidden, b_.shape.dtype, true);
    if (int8 && options_.row_quantizers == 0) {
      const TensorId packed = packed_tensor("packed", Layout::kTokens);
      add_of_tokens("Quantize", "QuantizePacked", {tokens}, packed);
      tokens = packed;
    }
    const bool apart =
        int8 || options_.exchange == Exchange::kFused;  // where rows arrive and where they stay
    const TensorId received = tensor("received", Layout::kReceived, hidden, options_.dispatched, false);
    const TensorId window = !apart ? received
                            : int8 ? packed_tensor("window", Layout::kReceived)
                                   : tensor("window", Layout::kReceived, hidden, b_.shape.dtype, false);
    if (int8 && options_.row_quantizers > 0)
      b_.add("Dispatch", "Dispatch", {quantized_routes(tokens), counts_}, window);
    else
      send(tokens, window, int8);
    TensorId scales{};
    if (int8) {
      scales = tensor("scales", Layout::kReceived, 1, DataType::kFp32, false);
      b_.graph.add_operator(make_node("Receive", "Unpack", {window}, {received, scales}));
    } else if (apart) {
      b_.add("Receive", "Copy", {window}, received);
    }
    return {received, scales};
  }

  TensorId int8_experts(const Received& received) {
    const std::uint32_t width = b_.shape.intermediate, hidden = b_.shape.hidden;
    const TensorId w1 = weights("w1", hidden, 2 * width), w2 = weights("w2", width, hidden);
    const TensorId gate_up = product("GMM1", received.rows, w1, received.scales, "gate_up", 2 * width);
    const TensorId activation = tensor("activation", Layout::kReceived, width, b_.shape.dtype, false);
    const TensorId narrow = tensor("activation_int8", Layout::kReceived, width, DataType::kInt8, false);
    const TensorId scales = tensor("activation_scales", Layout::kReceived, 1, DataType::kFp32, false);
    b_.add("SwiGLU", "SwiGLU", {gate_up}, activation);
    b_.graph.add_operator(make_node("Quantize_activation", "Quantize", {activation}, {narrow, scales}));
    return product("GMM2", narrow, w2, scales, "expert_output", hidden);
  }

  TensorId given_experts() {
    return tensor("expert_output", Layout::kReceived, b_.shape.hidden, b_.shape.dtype, true);
  }

  void combine(TensorId expert_output) {
    const TensorId returned = tensor("returned", Layout::kSent, b_.shape.hidden, b_.shape.dtype, false);
    const TensorId output = tensor("output", Layout::kTokens, b_.shape.hidden, b_.shape.dtype, false);
    b_.add("Combine", "Combine", {expert_output, counts_}, returned);
    add_of_tokens("Accumulate", "Accumulate", {returned, router()}, output);
  }

  Graph take() { return std::move(b_.graph); }

 private:
  // A packed row for each expert that a token goes to.
  TensorId quantized_routes(TensorId tokens) {
    const TensorId packed = packed_tensor("packed", Layout::kSent);
    OperatorNode node = make_node("Quantize", "QuantizeRoutes", {tokens, router()}, {packed});
    node.split.inherits.clear();
    node.cut = CutOptions{.parts = options_.row_quantizers};
    b_.graph.add_operator(std::move(node));
    return packed;
  }

  // Adds the exchange in which every rank, once its rows are packed, tells all others how many they get; then
  // each fetches its own.
  Received pulled() {
    const std::uint32_t hidden = b_.shape.hidden, experts = b_.shape.experts();
    const TensorId tokens = tensor("tokens", Layout::kTokens, hidden, b_.shape.dtype, true);
    const TensorId packed = quantized_routes(tokens);
    const TensorId packed_flag = barrier("Packed", packed);
    const TensorId own =
        b_.graph.add_tensor({"counts_row", Layout::kPlain, 1, experts, DataType::kInt32, true});
    const TensorId all =
        b_.graph.add_tensor({"counts_rows", Layout::kPlain, b_.shape.ep, experts, DataType::kInt32, false});
    b_.graph.add_operator(cut_alone("Notify", "AllGather", {own}, {all}, {{packed_flag}}));
    const TensorId notified = barrier("Notified", all);
    const Received received{tensor("received", Layout::kReceived, hidden, DataType::kInt8, false),
                            tensor("scales", Layout::kReceived, 1, DataType::kFp32, false)};
    OperatorNode node =
        make_node("Dispatch", "PullPacked", {packed, counts_}, {received.rows, received.scales});
    node.holds = {{notified}};
    b_.graph.add_operator(std::move(node));
    return received;
  }
  // Adds a barrier of the cores after the operator that writes a tensor. Returns its flag.
  TensorId barrier(const std::string& name, TensorId behind) {
    const TensorId flag =
        b_.graph.add_tensor({name + "_flag", Layout::kPlain, 1, kWordColumns, DataType::kInt32, false});
    b_.graph.add_operator(cut_alone(name.c_str(), "Barrier", {behind}, {flag}, {}));
    return flag;
  }
  static OperatorNode cut_alone(const char* name, const char* type, std::vector<TensorId> inputs,
                                std::vector<TensorId> outputs, std::vector<Hold> holds) {
    OperatorNode node = make_node(name, type, std::move(inputs), std::move(outputs));
    node.split.inherits.clear();
    node.cut = CutOptions{};
    node.holds = std::move(holds);
    return node;
  }

  // Adds an operator that is cut by tokens, whatever its inputs are.
  void add_of_tokens(const char* name, const char* type, std::vector<TensorId> inputs, TensorId output) {
    OperatorNode node = make_node(name, type, std::move(inputs), {output});
    node.split.inherits.clear();
    node.cut = CutOptions{.task_rows = options_.token_rows};
    b_.graph.add_operator(std::move(node));
  }
  TensorId tensor(const std::string& name, Layout layout, std::uint32_t cols, DataType dtype, bool external) {
    return b_.graph.add_tensor({name, layout, 0, cols, dtype, external});
  }
  TensorId packed_tensor(const std::string& name, Layout layout) {
    return tensor(name, layout, b_.shape.hidden + kScaleColumns, DataType::kInt8, false);
  }
  TensorId weights(const std::string& name, std::uint32_t rows, std::uint32_t cols) {
    return b_.graph.add_tensor({name, Layout::kWeights, rows, cols, DataType::kInt8, true});
  }
  TensorId router() {
    if (!has_router_) router_ = b_.router();
    has_router_ = true;
    return router_;
  }

  // Adds the transfer. The library's collectives need the number of rows that arrive, so the counts are
  // exchanged first, and the host reads them.
  void send(TensorId tokens, TensorId window, bool packed) {
    if (options_.exchange == Exchange::kFused) {
      b_.add("Dispatch", "DispatchTokens", {tokens, counts_}, window);
      return;
    }
    if (options_.exchange == Exchange::kCollectives) {
      const std::uint32_t cols = kWordColumns * b_.shape.experts_per_rank;
      const TensorId there =
          b_.graph.add_tensor({"counts_sent", Layout::kPlain, b_.shape.ep, cols, DataType::kInt32, true});
      const TensorId here = b_.graph.add_tensor(
          {"counts_received", Layout::kPlain, b_.shape.ep, cols, DataType::kInt32, false});
      b_.add("Notify", "AllToAll", {there}, here);
    }
    const TensorId sent = packed ? packed_tensor("sent", Layout::kSent)
                                 : tensor("sent", Layout::kSent, b_.shape.hidden, b_.shape.dtype, false);
    b_.add("Permute", "Permute", {tokens, router()}, sent);
    b_.add("Dispatch", "Dispatch", {sent, counts_}, window);
  }

  // Adds an int8 product, and the multiplication of its integer sums by the rows' scales.
  TensorId product(const std::string& name, TensorId rows, TensorId weights, TensorId scales,
                   const std::string& result, std::uint32_t cols) {
    const TensorId sums = tensor(result + "_int32", Layout::kReceived, cols, DataType::kInt32, false);
    const TensorId out = tensor(result, Layout::kReceived, cols, b_.shape.dtype, false);
    OperatorNode node = make_node(name, "GroupedMatmul", {rows, weights}, {sums});
    node.tiling = Tiling{.base_k = 2 * Tiling{}.base_k};  // blocks of K keep their bytes
    b_.graph.add_operator(std::move(node));
    b_.add("Dequantize_" + name, "Dequantize", {sums, scales}, out);
    return out;
  }

  GraphBuilder b_;
  const ExpertParallelOptions& options_;
  TensorId counts_, router_{};
  bool has_router_ = false;
};

}  // namespace

Graph dispatch_graph(const MoeShape& shape, const ExpertParallelOptions& options) {
  Builder b(shape, options);
  b.dispatch();
  return b.take();
}

Graph combine_graph(const MoeShape& shape, const ExpertParallelOptions& options) {
  Builder b(shape, options);
  b.combine(b.given_experts());
  return b.take();
}

Graph int8_forward_graph(const MoeShape& shape, Exchange exchange, std::uint32_t token_rows) {
  const ExpertParallelOptions options{DataType::kInt8, exchange, token_rows};
  Builder b(shape, options);
  b.combine(b.int8_experts(b.dispatch()));
  return b.take();
}

}  // namespace a3sim
