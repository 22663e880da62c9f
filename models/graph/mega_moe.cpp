#include "models/graph/mega_moe.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "models/graph/builder.h"
#include "models/graph/counter_columns.h"
#include "models/operators/quantized_row.h"

namespace a3sim {
namespace {

// Adds operators in the order of the kernel's code, since orders refer to their numbers.
class MegaMoeBuilder {
 public:
  MegaMoeBuilder(const MoeShape& shape, const MegaMoeOptions& options)
      : b_{shape, {}}, options_(options), counts_(b_.counts()), router_(b_.router()) {}

  Graph build() {
    const TensorId packed = front();
    const TensorId starts = exchange_counts(packed);
    const auto [rows, scales] = dispatch(packed, starts);
    const auto [activation, activation_scales] = activate(multiply_rows(rows), scales);
    combine(multiply_activation(activation), activation_scales);
    return std::move(b_.graph);
  }

 private:
  TensorId tensor(const std::string& name, Layout layout, std::uint32_t rows, std::uint32_t cols,
                  DataType dtype, bool external = false) {
    return b_.graph.add_tensor({name, layout, rows, cols, dtype, external});
  }
  TensorId received(const std::string& name, std::uint32_t cols, DataType dtype) {
    return tensor(name, Layout::kReceived, 0, cols, dtype);
  }
  TensorId word(const std::string& name, std::uint32_t rows) {
    return tensor(name, Layout::kPlain, rows, kCounterColumns, DataType::kInt32);
  }

  // Adds an operator with a cut of its own.
  void add(const std::string& name, const std::string& type, std::vector<TensorId> inputs,
           std::vector<TensorId> outputs, const CutOptions& cut, std::vector<Hold> holds = {}) {
    OperatorNode node = make_node(name, type, std::move(inputs), std::move(outputs));
    node.split.inherits.clear();
    node.cut = cut;
    node.holds = std::move(holds);
    b_.graph.add_operator(std::move(node));
  }

  // Returns the type of the operator that ends a segment.
  const char* segment_end() const { return options_.doorbells ? "Doorbell" : "Barrier"; }

  // Adds a barrier after the operator that writes a tensor. Returns its flag.
  TensorId barrier(const std::string& name, TensorId behind) {
    const TensorId flag = word(name + "_flag", 1);
    add(name, "Barrier", {behind}, {flag}, {});
    return flag;
  }
  // Adds a barrier for each segment of experts. Returns their flags, one per row.
  TensorId barriers(const std::string& name, TensorId behind, const std::vector<std::uint32_t>& segments) {
    const TensorId flags = received(name + "_flags", 1, DataType::kInt8);
    add(name, segment_end(), {behind}, {flags}, {.segments = segments});
    return flags;
  }

  // Sorts routes by expert and packs a row for each.
  TensorId front() {
    const std::uint32_t tokens = b_.shape.tokens, cores = options_.vector_cores;
    const auto places = [&](const char* name) {
      return tensor(name, Layout::kPlain, tokens, b_.shape.top_k, DataType::kInt32);
    };
    TensorId order = places("order");
    add("Sort", "SortRoutes", {router_}, {order}, {.parts = options_.sorters});
    if (options_.sorts > 1) {  // the inverse order, from a second sort of the first one's result
      const TensorId again = places("inverse");
      add("Sort_again", "MergeRoutes", {order}, {again}, {});
      order = again;
    }
    if (options_.sorters > 1) {
      const TensorId merged = places("merged");
      add("Merge", "MergeRoutes", {order}, {merged}, {});
      order = merged;
    }
    if (options_.index) {
      const TensorId sorted = barrier("Sorted", order), index = places("index");
      add("Index", "IndexRoutes", {order}, {index}, {.parts = cores}, {{sorted}});
      order = index;
    }
    const TensorId indexed = barrier("Indexed", order);
    const TensorId packed =
        tensor("packed", Layout::kSent, 0, b_.shape.hidden + kScaleColumns, DataType::kInt8);
    const TensorId token_rows = tensor("tokens", Layout::kTokens, 0, b_.shape.hidden, b_.shape.dtype, true);
    add("Quantize", "QuantizeRoutes", {token_rows, router_}, {packed}, {.parts = cores}, {{indexed}});
    return packed;
  }

  // Adds the exchange of a row of counts, sent to every rank once all rows are packed. So it also tells the
  // other rank that the rows are ready.
  TensorId exchange_counts(TensorId packed) {
    const TensorId ready = barrier("Packed", packed);
    const std::uint32_t experts = b_.shape.experts(), ep = b_.shape.ep;
    const TensorId own = tensor("counts_row", Layout::kPlain, 1, experts, DataType::kInt32, true);
    const auto rows = [&](const char* name, std::uint32_t number) {
      return tensor(name, Layout::kPlain, number, experts, DataType::kInt32);
    };
    const TensorId all = rows("counts_rows", ep), offsets = rows("offsets", ep), starts = rows("starts", 1);
    add("Counts", "AllGather", {own}, {all}, {}, {{ready}});
    add("Offsets", "Scan", {all}, {offsets}, {.task_rows = 1});
    const TensorId scanned = barrier("Scanned", offsets);
    add("Starts", "ReduceBlocks", {offsets}, {starts}, {});
    const TensorId known = barrier("Known", starts);
    holds_of_dispatch_ = {{scanned}, {known}};
    return starts;
  }

  std::pair<TensorId, TensorId> dispatch(TensorId packed, TensorId starts) {
    const TensorId rows = received("rows", b_.shape.hidden, DataType::kInt8);
    const TensorId scales = received("scales", 1, DataType::kFp32);
    std::vector<Hold> holds = {{starts}};
    holds.insert(holds.end(), holds_of_dispatch_.begin(), holds_of_dispatch_.end());
    std::optional<TensorId> flags;
    if (!options_.dispatch_segments.empty()) {
      flags = received("Dispatched_flags", 1, DataType::kInt8);
      holds.push_back({*flags, -1});
    }
    add("Dispatch", "PullPacked", {packed, counts_}, {rows, scales}, {.chunk = options_.pull_rows}, holds);
    if (flags) {
      add("Dispatched", "Barrier", {rows}, {*flags}, {.segments = options_.dispatch_segments});
      dispatched_ = {{*flags}};
    }
    return {rows, scales};
  }

  // Weights have the cube's own layout; no access to it is shorter than one to a transposed matrix.
  TensorId product(const std::string& name, TensorId rows, const std::string& weights, std::uint32_t k,
                   const std::string& result, std::uint32_t n, const Tiling& tiling,
                   std::vector<Hold> holds) {
    const TensorId w = tensor(weights, Layout::kWeights, n, k, DataType::kInt8, true);
    const TensorId w_scales = tensor(weights + "_scales", Layout::kWeights, 1, n, DataType::kFp32, true);
    const TensorId out = received(result, n, DataType::kFp16);
    OperatorNode node = make_node(name, "GroupedMatmulScaled", {rows, w, w_scales}, {out});
    node.split.inherits.clear();
    node.transposed = true;
    node.tiling = tiling;
    node.holds = std::move(holds);
    b_.graph.add_operator(std::move(node));
    return out;
  }

  TensorId multiply_rows(TensorId rows) {
    return product("GMM1", rows, "w1", b_.shape.hidden, "gate_up", 2 * b_.shape.intermediate, options_.gmm1,
                   dispatched_);
  }

  std::pair<TensorId, TensorId> activate(TensorId gate_up, TensorId scales) {
    const TensorId activation = received("activation", b_.shape.intermediate, DataType::kInt8);
    const TensorId activation_scales = received("activation_scales", 1, DataType::kFp32);
    const TensorId before = barriers("Multiplied", gate_up, options_.activation_segments);
    add("SwiGLU", "SwiGLUQuantized", {gate_up, scales}, {activation, activation_scales},
        {.segments = options_.activation_segments, .parts = options_.vector_cores}, {{before}});
    activated_ = {{barriers("Activated", activation, options_.activation_segments)}};
    return {activation, activation_scales};
  }

  TensorId multiply_activation(TensorId activation) {
    return product("GMM2", activation, "w2", b_.shape.intermediate, "expert_output", b_.shape.hidden,
                   options_.gmm2, activated_);
  }

  // Adds barriers between the experts of Combine: each waits until all products of a segment are there and, if
  // cores meet, until all of them have finished the previous expert.
  TensorId finished(TensorId expert_output, TensorId one) {
    const std::uint32_t cores = options_.vector_cores;
    std::vector<Hold> arrivals;
    if (options_.combine_meets) {
      arrivals = {{word("Arrived_flags", b_.shape.experts_per_rank * cores)}};
      add("Arrived", "Arrive", {one}, {arrivals[0].tensor}, {.parts = cores});
    }
    const TensorId flags = received("Finished_flags", 1, DataType::kInt8);
    add("Finished", segment_end(), {expert_output}, {flags}, {.segments = options_.combine_segments},
        arrivals);
    return flags;
  }

  void combine(TensorId expert_output, TensorId scales) {
    const TensorId returned = tensor("returned", Layout::kSent, 0, b_.shape.hidden, DataType::kFp16);
    const TensorId output = tensor("output", Layout::kTokens, 0, b_.shape.hidden, DataType::kFp16);
    const TensorId one =
        b_.graph.add_tensor({"one", Layout::kPlain, 1, kCounterColumns, DataType::kInt32, true});
    std::vector<Hold> holds;
    if (!options_.combine_segments.empty()) holds.push_back({finished(expert_output, one)});
    add("Combine", options_.put_tiles ? "CombineScaledTiles" : "CombineScaled",
        {expert_output, scales, counts_}, {returned}, {.chunk = options_.put_rows}, std::move(holds));
    const std::uint32_t cores = options_.vector_cores;
    const auto tokens = [&](std::uint32_t parts) {
      return std::max(1U, (b_.shape.tokens + parts - 1) / parts);
    };
    if (options_.early_experts > 0) {
      // Each phase waits for a flag of its own, so that it does not wait for the rows of the other.
      const TensorId complete = word("Complete_flag", 1), told = word("Told_flag", 1),
                     back = word("Back_flag", 1);
      const std::vector<std::uint32_t> first{options_.early_experts};
      add("Complete", "Doorbell", {returned}, {complete}, {.segments = first});
      add("Told", "Doorbell", {complete}, {told}, {});
      add("Back", "Doorbell", {returned}, {back}, {}, {{told}});
      add("Unpermute", "AccumulateInPhases", {returned, router_, complete, back}, {output},
          {.task_rows = tokens(4 * cores), .segments = first});
      return;
    }
    // Each core works through its list, so what follows its part of Combine needs no event.
    const TensorId all = word("met", b_.shape.ep), combined = barrier("Combined", one);
    add("Meet", "AllGather", {one}, {all}, {}, {{combined}});
    const TensorId met = barrier("Met", all);
    add("Unpermute", "AccumulatePieces", {returned, router_}, {output}, {.task_rows = tokens(cores)},
        {{met}});
  }

  GraphBuilder b_;
  const MegaMoeOptions& options_;
  TensorId counts_, router_;
  std::vector<Hold> holds_of_dispatch_, dispatched_, activated_;
};

}  // namespace

Graph mega_moe_graph(const MoeShape& shape, const MegaMoeOptions& options) {
  return MegaMoeBuilder(shape, options).build();
}

}  // namespace a3sim
