#include <algorithm>

#include "sim/check/data_case.h"

namespace a3sim {
namespace {

// Returns the operators. They run one after the other and need no holds.
std::vector<OperatorInfo> operators_of(const Graph& graph) {
  std::vector<OperatorInfo> operators = operator_infos(graph);
  for (std::size_t op = 0; op < operators.size(); ++op) operators[op].inputs = graph.operators()[op].inputs;
  return operators;
}

class WholeRun {
 public:
  WholeRun(const DataCase& data_case, const Graph& graph, const Tensors& known)
      : graph_(graph),
        counts_(data_case.routed.counts(data_case.experiment.shape)),
        layout_(data_case.experiment.shape, counts_),
        operators_(operators_of(graph)),
        tensors_(infos()),
        data_(layout_, tensors_) {
    data_.sent = sent_by_rank(data_case);
    for (std::uint32_t t = 0; t < graph.tensors().size(); ++t) {
      if (!graph.tensors()[t].external) continue;
      for (std::uint32_t rank = 0; rank < tensors_.size(); ++rank)
        data_.tensor(RankId{rank}, TensorId{t}) = known.at(graph.tensors()[t].name)[rank];
    }
  }

  Tensors run() {
    for (const OpId op : graph_.topological_order()) {
      for (std::uint32_t rank = 0; rank < tensors_.size(); ++rank) run(op, rank);
    }
    Tensors written;
    for (std::uint32_t t = 0; t < graph_.tensors().size(); ++t) {
      if (!graph_.writer(TensorId{t})) continue;
      auto& by_rank = written[graph_.tensors()[t].name];
      for (std::uint32_t rank = 0; rank < tensors_.size(); ++rank)
        by_rank.push_back(data_.tensor(RankId{rank}, TensorId{t}));
    }
    return written;
  }

 private:
  std::vector<std::vector<TensorInfo>> infos() const {
    std::vector<std::vector<TensorInfo>> all;
    for (std::uint32_t rank = 0; rank < layout_.shape().ep; ++rank)
      all.push_back(tensor_infos(graph_, layout_, RankId{rank}));
    return all;
  }

  Region all_of(TensorId tensor, std::uint32_t rank) const {
    return {index(tensor), rank, 0, tensors_[rank][index(tensor)].rows, 0, 1, 0};
  }

  void run(OpId op, std::uint32_t rank) {
    const OperatorNode& node = graph_.op(op);
    std::vector<Region> inputs, outputs;
    for (const TensorId input : node.inputs) inputs.push_back(all_of(input, rank));
    for (const TensorId output : node.outputs) outputs.push_back(all_of(output, rank));
    const Layout from = graph_.tensor(node.inputs.front()).layout,
                 to = graph_.tensor(node.outputs.front()).layout;
    if (from == Layout::kSent && to == Layout::kReceived) {
      exchange(op, rank, inputs, outputs, true);
    } else if (from == Layout::kReceived && to == Layout::kSent) {
      exchange(op, rank, inputs, outputs, false);
    } else if (Operators::get(node.type).mover() != Mover::kNone) {
      put(op, rank);
    } else {
      compute(op, rank, rank, inputs, outputs);
    }
  }

  // Runs a put of rows other than those of sent and received tensors, one put to each rank.
  void put(OpId op, std::uint32_t rank) {
    constexpr std::uint32_t kWhole = 1 << 30;
    const FillContext context{layout_.shape(),       layout_, tensors_[rank],
                              operators_[index(op)], op,      RankId{rank},
                              {.chunk = kWhole},     kNone,   {}};
    TaskTable table;
    Operators::get(graph_.op(op).type).fill_config(context, {0, 1}, table);
    for (const TaskDescriptor& td : table.tasks) {
      const std::span<const Region> regions(table.regions.data() + td.first_region,
                                            std::size_t{td.num_inputs} + td.num_outputs);
      const WorkContext todo{layout_, tensors_[rank], operators_, {&tiling_, 1}, RankId{rank}};
      Operators::get(graph_.op(op).type)
          .compute(todo, {td, regions.first(td.num_inputs), regions.subspan(td.num_inputs)}, data_);
    }
  }

  // Rows of a source and an expert lie together on both sides; those of a source and a rank do not.
  void exchange(OpId op, std::uint32_t rank, std::vector<Region> inputs, std::vector<Region> outputs,
                bool sends) {
    const MoeShape& shape = layout_.shape();
    for (std::uint32_t other = 0; other < shape.ep; ++other) {
      const std::uint32_t src = sends ? rank : other, dst = sends ? other : rank;
      for (std::uint32_t expert = 0; expert < shape.experts_per_rank; ++expert) {
        const Rows sent = layout_.sent_slot(src, dst * shape.experts_per_rank + expert),
                   received = layout_.received_slot(dst, expert, src);
        const Layout from = sends ? Layout::kSent : Layout::kReceived;
        for (Region& input : inputs)
          if (layout_of(input) == from) set_rows(input, sends ? sent : received);
        for (Region& output : outputs) {
          set_rows(output, sends ? received : sent);
          output.rank = other;
        }
        compute(op, rank, other, inputs, outputs);
      }
    }
  }

  Layout layout_of(const Region& region) const { return graph_.tensor(TensorId{region.tensor}).layout; }
  static void set_rows(Region& region, Rows rows) {
    region.row_begin = rows.begin;
    region.row_end = rows.end;
  }

  void compute(OpId op, std::uint32_t rank, std::uint32_t dst, std::span<const Region> inputs,
               std::span<const Region> outputs) {
    TaskDescriptor td{};
    td.op = static_cast<std::uint16_t>(index(op));
    td.expert = kNoExpert;
    td.dst = dst;
    const WorkContext context{layout_, tensors_[rank], operators_, {&tiling_, 1}, RankId{rank}};
    Operators::get(graph_.op(op).type).compute(context, {td, inputs, outputs}, data_);
  }

  const Graph& graph_;
  RoutingCounts counts_;
  RowLayout layout_;
  std::vector<OperatorInfo> operators_;
  std::vector<std::vector<TensorInfo>> tensors_;  // one entry per rank
  Data data_;
  Tiling tiling_;
};

// Computes a graph operator by operator, each whole, in topological order: no splits, tiles, shares or
// chunks, no schedule and no time. It shares the operators' arithmetic with the simulation, so that it
// checks how work is split and ordered, not what an operator means. Returns the tensors that operators
// write; `known` has those that they only read.
Tensors run_whole(const DataCase& data_case, const Graph& graph, const Tensors& known) {
  return WholeRun(data_case, graph, known).run();
}

bool same_tensor(const TensorNode& a, const TensorNode& b) {
  return a.name == b.name && a.layout == b.layout && a.rows == b.rows && a.cols == b.cols &&
         a.dtype == b.dtype && a.external == b.external;
}

// True if the graphs have the same operators on the same tensors, however they are split.
bool same_graph(const Graph& a, const Graph& b) {
  const auto operands = [](const Graph& graph, const OperatorNode& node) {
    std::vector<TensorNode> all;
    for (const TensorId id : node.inputs) all.push_back(graph.tensor(id));
    for (const TensorId id : node.outputs) all.push_back(graph.tensor(id));
    return all;
  };
  return std::ranges::equal(a.operators(), b.operators(), [&](const OperatorNode& x, const OperatorNode& y) {
    return x.name == y.name && x.type == y.type && x.transposed == y.transposed &&
           std::ranges::equal(operands(a, x), operands(b, y), same_tensor);
  });
}

using Names = std::vector<std::string>;

// True if the graph has tensors of these names and operators like these on them, in this order. Names and cuts of operators may
// differ.
bool consists_of(const Graph& graph, const Names& tensors, const std::vector<OperatorNode>& operators) {
  const auto alike = [](const OperatorNode& x, const OperatorNode& y) {
    return x.type == y.type && x.inputs == y.inputs && x.outputs == y.outputs && x.transposed == y.transposed;
  };
  return std::ranges::equal(graph.tensors(), tensors, {}, &TensorNode::name) &&
         std::ranges::equal(graph.operators(), operators, alike);
}

bool is_swiglu_add(const Graph& graph) {
  constexpr TensorId kGateUp{0}, kActivation{1}, kOther{2}, kSum{3};
  return consists_of(graph, {"gate_up", "activation", "other", "sum"},
                     {make_node("SwiGLU", "SwiGLU", {kGateUp}, {kActivation}),
                      make_node("Add", "Add", {kActivation, kOther}, {kSum})});
}

// Experts, if there are any, share the rows of a.
bool is_gemm(const Graph& graph, const MoeShape& shape) {
  constexpr TensorId kA{0}, kB{1}, kC{2};
  return consists_of(graph, {"a", "b", "c"}, {make_node("GMM", "GroupedMatmul", {kA, kB}, {kC})}) &&
         (graph.tensor(kA).layout == Layout::kReceived) == (shape.experts() > 0);
}

using plain::Matrix;

Matrix to_matrix(const TensorData& tensor, std::uint32_t begin, std::uint32_t end) {
  Matrix matrix;
  for (std::uint32_t r = begin; r < end; ++r) matrix.emplace_back(tensor.row(r).begin(), tensor.row(r).end());
  return matrix;
}

std::vector<Matrix> by_rank(const std::vector<TensorData>& tensors) {
  std::vector<Matrix> all;
  for (const TensorData& tensor : tensors) all.push_back(to_matrix(tensor, 0, tensor.rows));
  return all;
}

std::vector<Matrix> by_expert(const std::vector<TensorData>& tensors, std::uint32_t experts_per_rank) {
  std::vector<Matrix> all;
  for (const TensorData& tensor : tensors) {
    const std::uint32_t rows = tensor.rows / experts_per_rank;
    for (std::uint32_t e = 0; e < experts_per_rank; ++e)
      all.push_back(to_matrix(tensor, e * rows, (e + 1) * rows));
  }
  return all;
}

// Returns one tensor per rank, with a rank's matrices one after the other.
std::vector<TensorData> to_tensors(const std::vector<Matrix>& matrices, std::size_t a_rank) {
  std::vector<TensorData> tensors(matrices.size() / a_rank);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    TensorData& tensor = tensors[i / a_rank];
    for (const plain::Vector& row : matrices[i]) {
      tensor.values.insert(tensor.values.end(), row.begin(), row.end());
      tensor.cols = static_cast<std::uint32_t>(row.size());
      ++tensor.rows;
    }
  }
  return tensors;
}

Tensors expected_forward(const DataCase& data_case, const plain::Parameters& parameters,
                         const Tensors& known) {
  return {{"output", to_tensors(plain::forward(data_case.experiment.shape, data_case.routed, parameters,
                                               by_rank(known.at("tokens"))),
                                1)}};
}

Tensors expected_backward(const DataCase& data_case, const plain::Parameters& parameters,
                          const Tensors& known) {
  const std::uint32_t experts = data_case.experiment.shape.experts_per_rank;
  const plain::Backward backward =
      plain::backward(data_case.experiment.shape, data_case.routed, parameters, by_rank(known.at("tokens")),
                      by_rank(known.at("d_output")));
  return {{"d_tokens", to_tensors(backward.d_tokens, 1)},
          {"d_w1", to_tensors(backward.d_w1, experts)},
          {"d_w2", to_tensors(backward.d_w2, experts)}};
}

Tensors expected_sum(const Graph& graph, const Tensors& known) {
  return {{"sum", to_tensors({plain::swiglu_add(graph.tensors()[0].dtype, by_rank(known.at("gate_up"))[0],
                                                by_rank(known.at("other"))[0])},
                             1)}};
}

// Multiplies on one rank, where the rows of the experts follow each other.
Tensors expected_product(const DataCase& data_case, const Graph& graph, const Tensors& known) {
  const MoeShape& shape = data_case.experiment.shape;
  const RoutingCounts counts = data_case.routed.counts(shape);
  const TensorData &a = known.at("a")[0], &b = known.at("b")[0];
  Matrix c;
  for (std::uint32_t expert = 0, begin = 0; expert < std::max(1U, shape.experts_per_rank); ++expert) {
    const std::uint32_t rows = shape.experts() > 0 ? counts.at(0, expert) : a.rows;
    const Matrix weights = to_matrix(b, expert * a.cols, (expert + 1) * a.cols);
    std::ranges::move(plain::product(graph.tensors()[2].dtype, to_matrix(a, begin, begin + rows), weights),
                      std::back_inserter(c));
    begin += rows;
  }
  return {{"c", to_tensors({c}, 1)}};
}

}  // namespace

Oracle oracle_of(const Graph& graph, const MoeShape& shape) {
  if (shape.ep == 1 && is_gemm(graph, shape)) return Oracle::kGemm;
  if (shape.ep == 1 && is_swiglu_add(graph)) return Oracle::kSwigluAdd;
  if (shape.experts() == 0) return Oracle::kWhole;
  for (const Window window : {Window::kTransport, Window::kFull}) {
    if (same_graph(graph, forward_graph(shape, window))) return Oracle::kForward;
    if (same_graph(graph, backward_graph(shape, window))) return Oracle::kBackward;
  }
  return Oracle::kWhole;
}

Tensors expected_tensors(const DataCase& data_case, std::size_t pass, const Tensors& known) {
  const Graph& graph = data_case.experiment.passes[pass].graph;
  if (data_case.oracles[pass] == Oracle::kWhole) return run_whole(data_case, graph, known);
  if (data_case.oracles[pass] == Oracle::kSwigluAdd) return expected_sum(graph, known);
  if (data_case.oracles[pass] == Oracle::kGemm) return expected_product(data_case, graph, known);
  const std::uint32_t experts = data_case.experiment.shape.experts_per_rank;
  const plain::Parameters parameters{by_expert(known.at("w1"), experts), by_expert(known.at("w2"), experts)};
  return data_case.oracles[pass] == Oracle::kForward ? expected_forward(data_case, parameters, known)
                                                     : expected_backward(data_case, parameters, known);
}

}  // namespace a3sim
