#include "models/graph/yaml_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/graph/size_expression.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostTaskRows = 1 << 30;

class GraphReader {
 public:
  GraphReader(const Config& config, const MoeShape& shape)
      : config_(config), shape_(shape), symbols_{{"tokens", shape.tokens},
                                                 {"hidden", shape.hidden},
                                                 {"intermediate", shape.intermediate},
                                                 {"top_k", shape.top_k},
                                                 {"experts", shape.experts()},
                                                 {"experts_per_rank", shape.experts_per_rank},
                                                 {"ep", shape.ep}} {}

  Graph read() {
    config_.text("name");
    const std::vector<Config> operators = config_.maps("operators");
    for (const Config& op : operators) {
      for (std::string& output : op.texts("outputs")) written_.push_back(std::move(output));
    }
    for (const Config& tensor : config_.maps("tensors")) read_tensor(tensor);
    bool all_added = !operators.empty();
    if (operators.empty()) config_.error("operators", "none, expected at least one");
    for (const Config& op : operators) all_added &= read_operator(op);
    // An incomplete graph would only repeat noted errors.
    if (all_added) check_whole();
    config_.finish();
    return std::move(graph_);
  }

 private:
  std::uint32_t read_size(const Config& config, std::string_view key) const {
    const std::string text = config.text(key);
    const auto size = evaluate_size(text, symbols_);
    if (size && *size > 0) return *size;
    std::vector<std::string_view> known;
    for (const auto& [name, value] : symbols_) known.push_back(name);
    // The read has already noted an absent key.
    if (!text.empty()) {
      config.error(key,
                   fmt::format("'{}' is not a size, expected a positive whole number or one of {}, with a "
                               "factor before it if need be: 2*intermediate",
                               text, fmt::join(known, ", ")));
    }
    return 1;
  }

  void read_tensor(const Config& config) {
    TensorNode tensor;
    tensor.name = config.text("name");
    tensor.layout = config.choice<Layout>("layout");
    tensor.cols = read_size(config, "cols");
    if (tensor.layout == Layout::kPlain || tensor.layout == Layout::kWeights) {
      tensor.rows = read_size(config, "rows");
    } else if (config.has("rows")) {
      config.error("rows",
                   fmt::format("expected none: the rows of a tensor laid out '{}' follow from the shape and "
                               "its routing",
                               name_of(tensor.layout)));
    }
    tensor.dtype = config.choice("dtype", shape_.dtype);
    tensor.external = std::find(written_.begin(), written_.end(), tensor.name) == written_.end();
    config.finish();
    noting(config, "name", [&] { graph_.add_tensor(std::move(tensor)); });
  }

  // Returns the tensors with these names, and notes unknown names.
  bool find_tensors(const Config& config, std::string_view key, std::vector<TensorId>& ids) const {
    bool all = true;
    for (const std::string& name : config.texts(key)) {
      const auto tensors = graph_.tensors();
      const auto it =
          std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
      if (it != tensors.end()) {
        ids.push_back(TensorId{static_cast<std::uint32_t>(it - tensors.begin())});
        continue;
      }
      std::vector<std::string> names;
      for (const TensorNode& tensor : tensors) names.push_back(tensor.name);
      config.error(key, fmt::format("no tensor '{}'{}", name, suggestion(name, names)));
      all = false;
    }
    return all;
  }

  bool read_operator(const Config& config) {
    const std::string name = config.text("name");
    std::vector<TensorId> inputs, outputs;
    bool sound = find_tensors(config, "inputs", inputs);
    sound &= find_tensors(config, "outputs", outputs);
    const std::optional<std::string> type = config.name("type", Operator::kKind, types());
    const Operator* op = type ? &Operators::get(*type) : nullptr;
    OperatorNode node;
    node.transposed = config.boolean("transposed", false);
    if (op) node.split = op->split_spec();
    if (config.has("split")) read_split(config.map("split"), op, node);
    if (config.has("holds")) sound &= read_holds(config, node);
    config.finish();
    if (!op || !sound) return false;
    node.name = name;
    node.type = *type;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return noting(config, "name", [&] { graph_.add_operator(std::move(node)); });
  }

  bool read_holds(const Config& config, OperatorNode& node) const {
    constexpr std::int64_t kMostShift = 65535;
    bool sound = true;
    for (const Config& hold : config.maps("holds")) {
      std::vector<TensorId> found;
      sound &= find_tensors(hold, "tensors", found);
      const auto shift = static_cast<int>(hold.integer("shift", -kMostShift, kMostShift, 0));
      hold.finish();
      for (const TensorId tensor : found) node.holds.push_back({tensor, shift});
    }
    return sound;
  }

  // The operators that a graph may name.
  static std::vector<std::string> types() {
    std::vector<std::string> types;
    for (const auto& [name, item] : Operators::all()) {
      if (item.object->num_outputs() > 0) types.push_back(name);
    }
    return types;
  }

  static void read_split(const Config& config, const Operator* op, OperatorNode& node) {
    if (config.choice("inherit", {"default", "none"}, "default") == 1) node.split.inherits.clear();
    if (config.has("shares")) {
      CutOptions cut;
      cut.shares = static_cast<std::uint32_t>(config.integer("shares", 1, 65535));
      node.cut = cut;
      if (op && op->unit() != CoreUnit::kMatrix)
        config.error("shares", "expected none: only products are cut into shares");
    }
    if (config.has("rows")) {
      CutOptions cut;
      cut.task_rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostTaskRows));
      node.cut = cut;
      if (op && !op->cut_by_task_rows()) {
        config.error("rows", "expected none: tasks of this operator are not cut to a number of rows");
      }
    }
    config.finish();
  }

  void check_whole() {
    const bool acyclic = noting(config_, "operators", [&] { graph_.topological_order(); });
    if (!acyclic) return;
    for (std::uint32_t id = 0; id < graph_.tensors().size(); ++id) {
      if (!is_used(TensorId{id})) {
        config_.error("tensors",
                      fmt::format("tensor '{}' is of no operator", graph_.tensor(TensorId{id}).name));
      }
    }
  }

  bool is_used(TensorId id) const {
    if (graph_.writer(id)) return true;
    return std::any_of(graph_.operators().begin(), graph_.operators().end(), [&](const OperatorNode& node) {
      return std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end();
    });
  }

  // Returns false and notes the error if `act` throws one.
  template <class Act>
  static bool noting(const Config& config, std::string_view key, Act&& act) {
    try {
      act();
      return true;
    } catch (const InputError& error) {
      config.error(key, error.what());
      return false;
    }
  }

  const Config& config_;
  const MoeShape& shape_;
  SizeSymbols symbols_;
  std::vector<std::string> written_;
  Graph graph_;
};

}  // namespace

Graph graph_from_config(const Config& config, const MoeShape& shape) {
  return GraphReader(config, shape).read();
}

}  // namespace a3sim
