#include "sim/study/data/whole_operators.h"

namespace a3sim {
namespace {

class WholeRun {
 public:
  WholeRun(const DataCase& of, const Graph& graph, const Tensors& known)
      : graph_(graph),
        counts_(of.routed.counts(of.experiment.shape)),
        layout_(of.experiment.shape, counts_),
        operators_(operator_infos(graph)),
        tensors_(infos()),
        data_(layout_, tensors_) {
    data_.sent = sent_by_rank(of);
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
    } else if (Operators::get(node.type).task_type() == TaskType::kPutMemSignal) {
      put(op, rank);
    } else {
      compute(op, rank, rank, inputs, outputs);
    }
  }

  // Other rows than those of sent and received tensors, in one put to each rank.
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

  // Rows of a source and an expert lie together on both sides, but not those of a source and a rank.
  void exchange(OpId op, std::uint32_t rank, std::vector<Region> inputs, std::vector<Region> outputs,
                bool sends) {
    const MoeShape& shape = layout_.shape();
    for (std::uint32_t other = 0; other < shape.ep; ++other) {
      const std::uint32_t src = sends ? rank : other, dst = sends ? other : rank;
      for (std::uint32_t expert = 0; expert < shape.experts_per_rank; ++expert) {
        const Rows sent = layout_.sent_slot(src, dst * shape.experts_per_rank + expert),
                   received = layout_.received_slot(dst, expert, src);
        set_rows(inputs[0], sends ? sent : received);
        set_rows(outputs[0], sends ? received : sent);
        outputs[0].rank = other;
        compute(op, rank, other, inputs, outputs);
      }
    }
  }

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
  std::vector<std::vector<TensorInfo>> tensors_;  // by rank
  Data data_;
  Tiling tiling_;
};

}  // namespace

Tensors run_whole(const DataCase& of, const Graph& graph, const Tensors& known) {
  return WholeRun(of, graph, known).run();
}

}  // namespace a3sim
