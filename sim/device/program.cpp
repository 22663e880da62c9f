#include "sim/device/program.h"

#include <fmt/format.h>

namespace a3sim {
namespace {

Program::Launch read_launch(const Config& config) {
  Program::Launch launch{config.duration("alone"), config.duration("queued")};
  config.finish();
  return launch;
}

Program::Tasks read_tasks(const Config& config) {
  Program::Tasks tasks;
  tasks.static_task = config.duration("static_task");
  if (config.has("dynamic_task")) tasks.dynamic_task = config.duration("dynamic_task");
  if (config.has("dynamic_start")) tasks.dynamic_start = config.duration("dynamic_start");
  tasks.cube_task_start = config.duration("cube_task_start");
  if (config.has("scalar_store")) tasks.scalar_store = config.duration("scalar_store");
  if (config.has("sorted_element")) tasks.sorted_element = config.duration("sorted_element");
  if (config.has("scalar_row")) tasks.scalar_row = config.duration("scalar_row");
  config.finish();
  return tasks;
}

Program::Collective read_collective(const Config& config) {
  Program::Collective collective;
  collective.fixed = config.duration("fixed");
  collective.per_peer = config.duration("per_peer");
  collective.rate = config.rate("rate");
  collective.read_back = config.duration("read_back");
  config.finish();
  return collective;
}

Program::Puts read_puts(const Config& config) {
  Program::Puts puts;
  puts.row = config.bytes("row");
  if (puts.row == 0_B) config.error("row", "expected at least a byte");
  puts.overlap = config.with_sources(false).boolean("overlap", true);
  config.finish();
  return puts;
}

Program::Host read_host(const Config& config) {
  Program::Host host;
  host.balance = config.duration("balance");
  host.read_counts = config.duration("read_counts");
  host.product = config.duration("product");
  host.submit = config.duration("submit");
  config.finish();
  return host;
}

Program::Bulk read_bulk(const Config& config) {
  constexpr std::int64_t kMostWorkers = 65536;
  Program::Bulk bulk;
  bulk.workers = static_cast<std::uint32_t>(config.integer("sms", 1, kMostWorkers));
  bulk.dispatch = config.rate("dispatch");
  bulk.combine = config.rate("combine");
  bulk.fixed = config.duration("fixed");
  bulk.once_a_rank = config.with_sources(false).boolean("once_a_rank", true);
  config.finish();
  return bulk;
}

Program::Attention read_attention(const Config& config) {
  constexpr std::int64_t kMostRows = 65536;
  Program::Attention attention;
  attention.start = config.duration("start");
  attention.rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostRows));
  attention.keys = static_cast<std::uint32_t>(config.integer("keys", 1, kMostRows));
  config.finish();
  return attention;
}

}  // namespace

Program read_program(const Config& config) {
  Program program;
  program.name = config.text("name");
  program.stack = config.text("stack", "");
  const Config sourced = config.with_sources(true);
  program.collective = read_collective(sourced.map("collective"));
  program.tasks = read_tasks(sourced.map("tasks"));
  program.launch = read_launch(sourced.map("launch"));
  const Config signals = sourced.map("signals"), vector = sourced.map("vector");
  program.signals = {signals.duration("local_visibility"), signals.duration("sync_all")};
  signals.finish();
  program.vector_tile = vector.bytes("tile");
  if (vector.has("row_wait")) program.vector_row_wait = vector.duration("row_wait");
  vector.finish();
  if (sourced.has("attention")) program.attention = read_attention(sourced.map("attention"));
  if (sourced.has("puts")) program.puts = read_puts(sourced.map("puts"));
  if (sourced.has("host")) program.host = read_host(sourced.map("host"));
  if (sourced.has("bulk")) program.bulk = read_bulk(sourced.map("bulk"));
  config.finish();
  return program;
}

void check_stack(const Config& config, const Program& program, const std::string& machine,
                 const std::string& stack) {
  if (program.stack.empty() || stack.empty() || program.stack == stack) return;
  config.error("stack", fmt::format("program '{}' is written for {}, and machine '{}' runs {}: include a "
                                    "program for it behind the machine, as ../programs/{}.yaml",
                                    program.name, program.stack, machine, stack, stack));
}

std::vector<SourcedValue> sourced_values(const Config& root) {
  std::vector<SourcedValue> values;
  for (const char* block : {"hardware", "program"}) {
    if (!root.has(block)) continue;
    for (SourcedValue& value : root.map(block).sourced()) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace a3sim
