#include "models/graph/yaml_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostSize = 1 << 30;

class GraphReader {
 public:
  GraphReader(const Config& config, GraphScope scope) : config_(config), scope_(std::move(scope)) {}

  Graph read() {
    config_.text("name");
    out_ = config_.choice("out", scope_.dtype);
    read_sizes();
    const std::vector<Config> operators = config_.maps("operators");
    for (const Config& op : operators) {
      for (std::string& input : op.texts("inputs")) read_.insert(std::move(input));
      for (std::string& output : op.texts("outputs")) written_.insert(std::move(output));
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
  // Reads the graph's own sizes, which expressions then may name.
  void read_sizes() {
    const Config sizes = config_.map("sizes");
    for (const std::string& name : sizes.names()) {
      const auto size = static_cast<std::uint32_t>(sizes.integer(name, 1, kMostSize));
      if (evaluate_size(name, {{name, size}}).names.empty())
        sizes.error(name, "expected a name of letters, digits and '_', which no function has");
      else if (!scope_.sizes.emplace(name, size).second)
        sizes.error(name, "expressions have another value by this name: expected another name");
    }
    sizes.finish();
  }

  std::uint32_t read_size(const Config& config, std::string_view key) {
    const std::string text = config.text(key);
    if (text.empty()) return 1;  // the read has already noted an absent key
    const SizeValue size = evaluate_size(text, scope_.sizes);
    used_.insert(size.names.begin(), size.names.end());
    if (!size.wrong.empty()) refuse_size(config, key, text, size);
    return size.value;
  }

  // An expression whose value is wrong is blamed on the first of the graph's own sizes in it.
  void refuse_size(const Config& config, std::string_view key, const std::string& text,
                   const SizeValue& size) {
    sized_ = false;
    const Config sizes = config_.map("sizes");
    if (std::ranges::any_of(size.names, [&](const auto& name) { return sizes.is_wrong(name); })) return;
    const auto own = std::ranges::find_if(size.names, [&](const auto& name) { return sizes.has(name); });
    if (own != size.names.end())
      sizes.error(*own, fmt::format("{} is {}, and {}", config.path(key), text, size.wrong));
    else
      config.error(key, fmt::format("'{}' is not a size: {}; expected an expression such as 4096, 2*hidden, "
                                    "m/ranks or ceil(rows/tiles), of sizes in graph.sizes{}",
                                    text, size.wrong, scope_.experts ? "" : " or of the model"));
  }

  void read_tensor(const Config& config) {
    TensorNode tensor;
    tensor.name = config.text("name");
    tensor.layout = config.choice<Layout>("layout");
    tensor.cols = read_size(config, "cols");
    if (scope_.experts) {
      lay_without_model(config, tensor);
    } else if (tensor.layout == Layout::kPlain || tensor.layout == Layout::kWeights) {
      tensor.rows = read_size(config, "rows");
    } else if (config.has("rows")) {
      config.error("rows",
                   fmt::format("expected none: the rows of a tensor laid out '{}' follow from the shape and "
                               "its routing",
                               name_of(tensor.layout)));
    }
    tensor.external = !written_.contains(tensor.name);
    const bool result = !tensor.external && !read_.contains(tensor.name);
    tensor.dtype = config.choice("dtype", result ? out_ : scope_.dtype);
    config.finish();
    noting(config, "name", [&] { graph_.add_tensor(std::move(tensor)); });
  }

  void lay_without_model(const Config& config, TensorNode& tensor) {
    tensor.rows = read_size(config, "rows");
    if (tensor.layout == Layout::kTokens || tensor.layout == Layout::kSent)
      config.error("layout",
                   fmt::format("the routing of a model says what is laid out '{}': include a model, "
                               "or expected plain, received or weights",
                               name_of(tensor.layout)));
    if (*scope_.experts == 0) tensor.layout = Layout::kPlain;
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
    if (!op || !sound || !sized_) return false;
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

  void read_split(const Config& config, const Operator* op, OperatorNode& node) {
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
      cut.task_rows = read_size(config, "rows");
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
    const Config sizes = config_.map("sizes");
    const std::vector<std::string> used(used_.begin(), used_.end());
    for (const std::string& name : sizes.names())
      if (!used_.contains(name) && !sizes.is_wrong(name))
        sizes.error(name, fmt::format("no size of the graph depends on it{}", suggestion(name, used)));
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
  GraphScope scope_;
  DataType out_ = DataType::kBf16;
  bool sized_ = true;  // false if an expression is wrong, so that operands cannot be checked
  std::set<std::string> used_, read_, written_;  // names of sizes, and of tensors
  Graph graph_;
};

}  // namespace

GraphScope scope_of(const MoeShape& shape) {
  return {{{"tokens", shape.tokens},
           {"hidden", shape.hidden},
           {"intermediate", shape.intermediate},
           {"top_k", shape.top_k},
           {"experts", shape.experts()},
           {"experts_per_rank", shape.experts_per_rank},
           {"ep", shape.ep}},
          shape.dtype,
          std::nullopt};
}

Graph graph_from_config(const Config& config, GraphScope scope) {
  return GraphReader(config, std::move(scope)).read();
}

}  // namespace a3sim
