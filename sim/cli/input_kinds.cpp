#include "sim/cli/input_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/traffic/token_log.h"
#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/foreign_file.h"
#include "sim/experiment/launch/launch_script.h"
#include "sim/runtime/placements/rank_table_file.h"
#include "sim/traffic/log_report.h"
#include "traces/import/chakra_graph.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Returns how a file begins. Time lines may be gigabytes, and are known by their first bytes.
std::string beginning_of(const fs::path& file) {
  constexpr std::size_t kLook = std::size_t{1} << 16;
  std::string text(kLook, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(kLook));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

Report describe_script(const std::string& file) {
  Diagnostics diagnostics;
  const LaunchScript script = read_launch_script(read_file(file, kLargestFile), {file, 1, 1}, diagnostics);
  diagnostics.throw_if_any();
  std::array<std::size_t, kCountOf<ArgumentFate>> counts{};
  for (const LaunchArgument& argument : script.arguments) ++counts[static_cast<std::size_t>(argument.fate)];
  Report report;
  report.fact("kind", "launch script");
  std::string text =
      fmt::format("{}: a launch script of a training step, {} arguments", file, script.arguments.size());
  for (std::size_t f = 0; f < counts.size(); ++f)
    text += fmt::format("{} {} {}", f == 0 ? ":" : ",", counts[f], kNamesOf<ArgumentFate>[f]);
  report.say(text + ".\n");
  std::string open, set;
  bool model = false;
  for (const ForeignValue& value : read_foreign(file).values) {
    if (value.open.empty()) continue;
    open += fmt::format("  {}: {}\n", value.path, value.open);
    model = model || value.path.starts_with("model.");
    if (!value.path.starts_with("model.")) set += fmt::format(" {}=...", value.path);
  }
  if (!open.empty()) report.say("It leaves open:\n" + open);
  report.say(next_commands({fmt::format("a3sim run --script {}{}{}", file, model ? " --hf config.json" : "",
                                        set.empty() ? "" : " --set" + set),
                            fmt::format("a3sim config from {}", file)}));
  return report;
}

Report describe_traffic(const std::string& file) {
  Report report = log_report(read_traffic_log(file));
  report.say(
      next_commands({fmt::format("a3sim run --traffic {}", file),
                     fmt::format("a3sim run ep8 --set routing='{{kind: recorded, file: {}}}'", file)}));
  return report;
}

Report describe_rank_table(const std::string& file) {
  const RankTable table = read_rank_table(file);
  Report report;
  report.fact("kind", "rank table")
      .fact("ranks", static_cast<std::int64_t>(table.ranks.size()))
      .fact("servers", std::int64_t{table.servers})
      .fact("super_pods", std::int64_t{table.pods});
  report.say(
      fmt::format("{}: a rank table of HCCL (version {}): {} ranks on {} server{} of {} super-pod{}.\n", file,
                  table.version.empty() ? "not stated" : table.version, table.ranks.size(), table.servers,
                  table.servers == 1 ? "" : "s", table.pods, table.pods == 1 ? "" : "s"));
  for (const std::string& note : table.notes) report.say(note + ".\n");
  report.say(next_commands(
      {fmt::format("a3sim run ep8 --set parallel.ep={} parallel.hosts='{{kind: rank_table, file: {}}}'",
                   table.ranks.size(), file),
       fmt::format("a3sim config parallel.hosts ep8 --set parallel.hosts='{{kind: rank_table, file: {}}}'",
                   file)}));
  return report;
}

Report describe_model(const std::string& file) {
  Report report;
  report.fact("kind", "model");
  std::string sizes, open;
  for (const ForeignValue& value : read_foreign(file).values) {
    for (const char* key :
         {"model.name", "model.hidden", "model.experts", "model.top_k", "model.intermediate", "model.layers"})
      if (value.path == key) sizes += fmt::format("  {} {}\n", value.path.substr(6), value.text);
    if (!value.open.empty()) open += fmt::format("  {}: {}\n", value.path, value.open);
    if (value.path == "model.layers_unknown") open += fmt::format("  model.layers: {}\n", value.text);
  }
  report.say(fmt::format("{}: a model's config.json:\n{}", file, sizes));
  if (!open.empty()) report.say("It leaves open:\n" + open);
  report.say(next_commands({fmt::format("a3sim run --hf {}", file),
                            fmt::format("a3sim run --hf {} --set parallel.pp=4 parallel.ep=8", file),
                            fmt::format("a3sim run --hf {} --set inference.batch=16", file)}));
  return report;
}

// Returns what the nodes of all ranks are, and the bytes that collectives state.
Report describe_chakra(const std::string& folder) {
  const ChakraGraph graph = read_chakra(folder);
  std::array<std::size_t, kCountOf<ChakraType>> nodes{};
  std::array<std::size_t, kCountOf<ChakraCollective>> collectives{};
  for (const ChakraRank& rank : graph.ranks)
    for (const ChakraNode& node : rank.nodes) {
      ++nodes[static_cast<std::size_t>(node.type)];
      if (node.type == ChakraType::kCollective) ++collectives[static_cast<std::size_t>(node.collective)];
    }
  Report report;
  report.fact("kind", "chakra").fact("ranks", static_cast<std::int64_t>(graph.ranks.size()));
  std::string text = fmt::format("{}: execution traces of Chakra, {} rank{}", folder, graph.ranks.size(),
                                 graph.ranks.size() == 1 ? "" : "s");
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  for (std::size_t t = 0; t < nodes.size(); ++t)
    if (t != static_cast<std::size_t>(ChakraType::kCollective)) add(nodes[t], kNamesOf<ChakraType>[t]);
  for (std::size_t c = 0; c < collectives.size(); ++c) add(collectives[c], kNamesOf<ChakraCollective>[c]);
  report.say(text + ".\n");
  report.say(next_commands({fmt::format("a3sim run {}", folder),
                            fmt::format("a3sim run {} --set kernel.compute=machine", folder)}));
  return report;
}

}  // namespace

std::string next_commands(const std::vector<std::string>& commands) {
  std::string text = "Next:\n";
  for (const std::string& command : commands) text += "  " + command + '\n';
  return text;
}

std::optional<Report> described_input(const std::string& file) {
  if (is_chakra_folder(file)) return describe_chakra(file);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const std::string begin = beginning_of(file);
  if (is_launch_script(file, begin)) return describe_script(file);
  if (is_traffic_log(file)) return describe_traffic(file);
  const std::size_t first = begin.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos || begin[first] != '{') return {};
  if (is_rank_table(begin)) return describe_rank_table(file);
  const bool model = begin.find("\"hidden_size\"") != std::string::npos ||
                     begin.find("\"architectures\"") != std::string::npos;
  return model && begin.find("\"traceEvents\"") == std::string::npos ? std::optional(describe_model(file))
                                                                     : std::nullopt;
}

}  // namespace a3sim
