#include "sim/result/step_section.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/step/step_files.h"
#include "sim/verdict/layout_lead.h"

namespace a3sim {
namespace {

nlohmann::ordered_json read_step_json(const std::filesystem::path& file) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(read_file(file), nullptr, false);
  if (!json.is_object()) throw InputError(fmt::format("{}: is no JSON object", file.string()));
  return json;
}

template <class Row>
std::vector<Row> read_step_rows(const std::filesystem::path& file) {
  const std::string csv = read_file(file), name = file.string();
  CsvReader<Row> reader(csv, name);
  std::vector<Row> rows;
  for (Row row; reader.next(row);) rows.push_back(row);
  return rows;
}

// Returns -1 for a missing number.
std::int64_t or_minus_one(std::uint32_t number) {
  return number == kNone ? -1 : static_cast<std::int64_t>(number);
}

nlohmann::ordered_json pack_blocks(Page& page, const std::vector<StepBlock>& blocks) {
  PackedColumns columns(blocks.size());
  columns.add("stage", [&](std::size_t i) { return blocks[i].stage; });
  columns.add("chunk", [&](std::size_t i) { return or_minus_one(blocks[i].chunk); });
  columns.add("micro_batch", [&](std::size_t i) { return or_minus_one(blocks[i].micro_batch); });
  columns.add("work", [&](std::size_t i) { return static_cast<std::int64_t>(blocks[i].work); });
  columns.add("paired", [&](std::size_t i) { return blocks[i].paired; });
  columns.add("from", [&](std::size_t i) { return blocks[i].from.count(); });
  columns.add("to", [&](std::size_t i) { return blocks[i].to.count(); });
  columns.add("kernels", [&](std::size_t i) { return blocks[i].kernels.count(); });
  return page.pack(columns);
}

nlohmann::ordered_json pack_memory(Page& page, const std::vector<StepMemory>& memory) {
  PackedColumns columns(memory.size());
  columns.add("stage", [&](std::size_t i) { return memory[i].stage; });
  columns.add("time", [&](std::size_t i) { return memory[i].time.count(); });
  columns.add("bytes", [&](std::size_t i) { return memory[i].bytes; });
  return page.pack(columns);
}

}  // namespace

bool has_step(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::is_regular_file(directory / kStepFile, error);
}

std::vector<Overlap> step_overlaps(const std::filesystem::path& directory) {
  constexpr std::int64_t kMostTime = std::int64_t{1} << 50;
  Diagnostics diagnostics;
  std::vector<Overlap> overlaps;
  const Config step = Config::load(directory / kStepFile, {}, diagnostics);
  for (const Config& stage : step.maps("stages")) {
    Overlap& overlap = overlaps.emplace_back();
    for (const Config& exchange : stage.maps("exchanges")) {
      const Duration total(exchange.integer("total_ps", 0, kMostTime));
      const Duration exposed(exchange.integer("exposed_ps", 0, kMostTime));
      // While two exchanges go on and no kernel runs, the time counts for one of them alone.
      const Duration beside(exchange.integer("beside_ps", 0, kMostTime, 0));
      overlap.exposed += exposed;
      overlap.hidden += total - exposed - beside;
    }
  }
  diagnostics.throw_if_any();
  return overlaps;
}

void add_step(Page& page, const std::filesystem::path& directory, const std::string& title) {
  const nlohmann::ordered_json result = read_step_json(directory / "result.json");
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  for (const char* const name : {"step_ps", "tokens_per_second_per_die", "tokens_per_second_per_package",
                                 "model_tflops_per_die", "mfu", "experts_share", "unknown"})
    if (result.contains(name)) facts[name] = result[name];
  page.add({{"kind", "step"},
            {"title", title},
            {"facts", facts},
            {"step", read_step_json(directory / kStepFile)},
            {"works", kNamesOf<StepBlockKind>},
            {"blocks", pack_blocks(page, read_step_rows<StepBlock>(directory / kStepBlocksFile))},
            {"memory", pack_memory(page, read_step_rows<StepMemory>(directory / kStepMemoryFile))}});
}

void add_step_lead(Page& page, const std::array<std::filesystem::path, 2>& directories,
                   const std::array<std::string, 2>& names) {
  Duration time[2] = {};
  for (const std::size_t side : {0, 1}) {
    const nlohmann::ordered_json result = read_step_json(directories[side] / "result.json");
    if (!result.contains("step_ps")) return;
    time[side] = Duration(result["step_ps"].get<std::int64_t>());
  }
  const auto lead = layout_lead_between(directories[0] / "resolved.yaml", directories[1] / "resolved.yaml",
                                        names, time[0], time[1]);
  if (!lead) return;
  Report report;
  add_layout_lead(*lead, report);
  page.add("Which layout is faster", PageBlocks().report(report));
}

}  // namespace a3sim
