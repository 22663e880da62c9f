#include <fmt/format.h>

#include "scheduler/compile/show.h"

namespace a3sim {
namespace {

std::string partition_of(const Splits* splits, TensorId tensor) {
  if (!splits) return {};
  const Partition& partition = splits->tensors[index(tensor)];
  return fmt::format(" ({}, {})", partition.dim, partition.num);
}

// Joins are made after splitting and have no tiles.
std::string tiles_of(const Splits* splits, std::size_t op) {
  if (!splits || op >= splits->tiles.size()) return {};
  return fmt::format(", {} tile{}", splits->tiles[op], splits->tiles[op] == 1 ? "" : "s");
}

std::string tensor_text(const Ssc& ssc, TensorId id) {
  const TensorInfo& tensor = ssc.tensors()[index(id)];
  return fmt::format("{} [{} x {}] {} {}", tensor.name, tensor.rows, tensor.cols, name_of(tensor.dtype),
                     name_of(tensor.layout));
}

// Escapes a name for a quoted DOT string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string show_graph(const Ssc& ssc, const Splits* splits) {
  std::string text = fmt::format("graph {}, tensors as rank {} holds them\n", ssc.graph(), index(ssc.rank()));
  for (std::size_t i = 0; i < ssc.operators().size(); ++i) {
    const OperatorInfo& op = ssc.operators()[i];
    text += fmt::format("{} ({}), stage {}{}\n", op.name, op.type, op.stage, tiles_of(splits, i));
    for (const TensorId t : op.inputs)
      text += fmt::format("  in   {}{}\n", tensor_text(ssc, t), partition_of(splits, t));
    for (const TensorId t : op.outputs)
      text += fmt::format("  out  {}{}\n", tensor_text(ssc, t), partition_of(splits, t));
  }
  return text;
}

std::string show_dot(const Ssc& ssc, const Splits* splits) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box];\n", quoted(ssc.graph()));
  std::vector<std::size_t> writer(ssc.tensors().size(), ssc.operators().size());
  for (std::size_t i = 0; i < ssc.operators().size(); ++i) {
    const OperatorInfo& op = ssc.operators()[i];
    text += fmt::format("  op{} [label={}];\n", i, quoted(op.name + tiles_of(splits, i)));
    for (const TensorId t : op.outputs) writer[index(t)] = i;
  }
  // External tensors and unread results end in points of their own.
  std::vector<bool> read(ssc.tensors().size());
  for (std::size_t i = 0; i < ssc.operators().size(); ++i) {
    for (const TensorId t : ssc.operators()[i].inputs) {
      const bool outside = writer[index(t)] == ssc.operators().size();
      const std::string from = outside ? fmt::format("t{}", index(t)) : fmt::format("op{}", writer[index(t)]);
      if (outside && !read[index(t)]) text += fmt::format("  {} [shape=point];\n", from);
      read[index(t)] = true;
      text += fmt::format("  {} -> op{} [label={}];\n", from, i,
                          quoted(ssc.tensors()[index(t)].name + partition_of(splits, t)));
    }
  }
  for (std::uint32_t t = 0; t < writer.size(); ++t) {
    if (read[t] || writer[t] == ssc.operators().size()) continue;
    text += fmt::format("  t{} [shape=point];\n  op{} -> t{} [label={}];\n", t, writer[t], t,
                        quoted(ssc.tensors()[t].name + partition_of(splits, TensorId{t})));
  }
  return text + "}\n";
}

}  // namespace a3sim
