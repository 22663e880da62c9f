#include "sim/variation/machine_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "sim/core/config/config.h"
#include "sim/core/config/quantity.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

// Values that no part stands for, and why.
struct LeftOut {
  std::string_view value, why;
};
constexpr std::string_view kTiling =
    "the tiling is made for it: more of it changes nothing without another one";
constexpr std::string_view kWhere = "where dies lie: neither more nor fewer are better";
constexpr std::string_view kStreams = "what programs on streams are written for: sweeps change it";
constexpr std::string_view kWritten = "the software's choice, not the machine's";
constexpr LeftOut kLeftOut[] = {
    {"hardware.workers.cube.l1", kTiling},
    {"hardware.workers.cube.l0a", kTiling},
    {"hardware.workers.cube.l0b", kTiling},
    {"hardware.workers.cube.l0c", kTiling},
    {"hardware.workers.vector.ub", "only says in how many steps a task is simulated"},
    {"program.vector.tile", kWritten},
    {"hardware.fabric.levels.*.dies", kWhere},
    {"hardware.workers.cube.least_rows", "how its products are made"},
    {"hardware.copy_engine.count", kStreams},
    {"program.bulk.sms", kStreams},
    {"program.bulk.once_a_rank", kStreams},
    {"hardware.workers.sm.count", "of SMs, as of AIC: the machine's workers of matrix tasks"},
    {"program.attention.rows", kWritten},
    {"program.attention.keys", kWritten},
    {"program.puts.row", kWritten},
    {"hardware.memory.hbm_size", "what fits, not how fast it is"},
    {"hardware.memory.l2_ways", "how the L2 is organised: neither more nor fewer are better"},
};

constexpr double kTenth = 1.1;
constexpr std::uint32_t kMoreAic = 27, kMoreAiv = 53;  // than 24 and 48, rounded up

std::vector<double> numbers_of(const Experiment& experiment) {
  const Hardware& h = experiment.hardware;
  const Program& p = experiment.program;
  const auto& [c, v, m, f] = std::tie(h.cube, h.vector, h.memory, h.fabric);
  std::vector<double> numbers{c.speed,         c.mad_head_cycles, c.l1_to_l0a,         c.l1_to_l0b,
                              c.gm_to_l1,      c.gm_to_l1_miss,   c.l0c_to_gm,         c.unaligned,
                              c.rows_128,      c.rows_256,        c.load_issue_cycles, v.simple_fp32,
                              v.convert,       v.transcendental,  v.startup_cycles,    v.gm_to_ub,
                              v.gm_to_ub_miss, v.ub_to_gm,        v.unaligned};
  for (const std::uint32_t count : {h.workers.count(CoreUnit::kMatrix), h.workers.count(CoreUnit::kVector),
                                    c.macs_per_cycle_16, c.macs_per_cycle_32, c.macs_per_cycle_8, m.l2_ways})
    numbers.push_back(count);
  for (const Bytes bytes : {c.l1, c.l0a, c.l0b, c.l0c, v.ub, p.vector_tile, m.l2_size})
    numbers.push_back(static_cast<double>(bytes.count));
  for (const BytesPerSecond rate : {m.l2_read, m.l2_write, m.l2_line_read, m.hbm_read, m.hbm_write,
                                    f.put_per_worker, f.pull_per_worker, p.collective.rate})
    numbers.push_back(static_cast<double>(rate.count));
  for (const Duration time :
       {f.put_startup, f.put_fence, f.put_row, p.collective.fixed, p.collective.per_peer, p.tasks.static_task,
        p.tasks.scheduled(), p.signals.local_visibility, p.launch.alone, p.launch.queued,
        p.tasks.cube_task_start, p.signals.sync_all, p.collective.read_back})
    numbers.push_back(static_cast<double>(time.count()));
  for (const Hardware::Fabric::Plane& plane : f.planes) {
    numbers.push_back(static_cast<double>(plane.egress.count));
    numbers.push_back(static_cast<double>(plane.ingress.count));
    numbers.push_back(static_cast<double>(plane.read.count));
  }
  for (const Hardware::Fabric::Level& level : f.levels) {
    numbers.push_back(static_cast<double>(level.latency.count()));
    numbers.push_back(level.payload);
    numbers.push_back(level.dies);
  }
  numbers.push_back(f.unaligned);
  numbers.push_back(static_cast<double>(h.clock.count));
  return numbers;
}

// A value as it is written, "1.6 TB/s" or "0.7 us", a tenth better; empty for one that counts whole things.
std::string tenth_better(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::string unit = text.substr(end);
  if (unit == " us") return fmt::format("{:.0f} ps", number * 1e6 / kTenth);
  if (unit == " ns") return fmt::format("{:.0f} ps", number * 1e3 / kTenth);
  constexpr double kStride = 12;  // KiB: a line of 512 bytes in each of 24 ways
  if (unit == " MiB") return fmt::format("{:.0f} KiB", std::ceil(number * 1024 * kTenth / kStride) * kStride);
  if (unit.empty())
    return number == std::floor(number) ? "" : fmt::format("{}", std::min(1.0, number * kTenth));
  return unit == " MAC/cycle" ? "" : fmt::format("{:.10g}{}", number * kTenth, unit);
}

// Whether a path is one of those that a part names: `*` stands for any name between two dots.
bool names(std::string_view pattern, std::string_view path) {
  for (const char c : pattern) {
    if (c == '*') {
      path.remove_prefix(std::min(path.find('.'), path.size()));
    } else if (!path.empty() && path.front() == c) {
      path.remove_prefix(1);
    } else {
      return false;
    }
  }
  return path.empty();
}

// Those of a hardware file's values, as they are written, that a part names.
std::map<std::string, std::string> values_of(const MachinePart& part,
                                             const std::vector<SourcedValue>& values) {
  std::map<std::string, std::string> map;
  for (const SourcedValue& value : values) {
    for (const MachinePart::Value& of_part : part.values) {
      if (names(of_part.path, value.path)) map[value.path] = value.value;
    }
  }
  return map;
}

std::vector<SourcedValue> values_in(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  return sourced_values(Config::load(file, {}, diagnostics));
}

// What no configuration can state.
void state_rest(Experiment& experiment, const std::string& path) {
  Hardware& hardware = experiment.hardware;
  if (path == "hardware.workers.cube.macs_16")
    hardware.cube.speed *= kTenth;  // of the other products, and of heads
  if (path == "hardware.workers.cube.load_issue_cycles") hardware.cube.load_issue_cycles /= kTenth;
  if (path == "hardware.workers.vector.startup_cycles") hardware.vector.startup_cycles /= kTenth;
  if (path == "hardware.workers.cube.count") hardware.workers.kind(CoreUnit::kMatrix).count = kMoreAic;
  if (path == "hardware.workers.vector.count") hardware.workers.kind(CoreUnit::kVector).count = kMoreAiv;
}

// Numbers of a die's host and of what the public figures of inference leave out: not of a machine or a program.
constexpr std::pair<std::string_view, QuantityKind> kBesideMachine[] = {
    {"step.host.launch", QuantityKind::kDuration},     {"step.host.unlisted", QuantityKind::kDuration},
    {"step.host.link", QuantityKind::kRate},           {"inference.launch.host", QuantityKind::kDuration},
    {"inference.collective", QuantityKind::kDuration}, {"inference.gather", QuantityKind::kRate}};

// As its configuration states them, the larger the better; 1 where it does not.
std::vector<double> numbers_beside_machine(const Experiment& experiment) {
  std::vector<double> numbers;
  for (const auto& [path, kind] : kBesideMachine) {
    const auto stated =
        std::ranges::find(experiment.values, path, [](const auto& value) { return value.first; });
    double amount = 0;
    if (stated != experiment.values.end())
      amount = static_cast<double>(parse_quantity(stated->second, kind).value);
    const double larger = kind == QuantityKind::kDuration && amount > 0 ? 1 / amount : amount;
    numbers.push_back(larger > 0 ? larger : 1);
  }
  return numbers;
}

// What only some machines or programs have, the larger the better: of streams, of sorts and rows, of cables.
std::vector<double> optional_numbers_of(const Experiment& experiment) {
  const auto better = [](Duration time) { return 1 / std::max(1.0, static_cast<double>(time.count())); };
  const Program& p = experiment.program;
  std::vector<double> numbers{better(p.tasks.scalar_store), better(p.tasks.sorted_element),
                              better(p.tasks.scalar_row), better(p.attention.start),
                              better(p.vector_row_wait.value_or(Duration{}))};
  const Hardware::CopyEngine engine = experiment.hardware.copy_engine.value_or(Hardware::CopyEngine{});
  const Program::Host host = p.host.value_or(Program::Host{});
  const Program::Bulk bulk = p.bulk.value_or(Program::Bulk{});
  for (const Duration time :
       {engine.startup, host.submit, host.balance, host.read_counts, host.product, bulk.fixed})
    numbers.push_back(better(time));
  for (const BytesPerSecond rate : {engine.rate, bulk.dispatch, bulk.combine})
    numbers.push_back(static_cast<double>(std::max(std::int64_t{1}, rate.count)));
  using enum Store;
  for (const auto& [from, to] :
       {std::pair(kL0c, kUb), std::pair(kL0c, kL1), std::pair(kUb, kL1), std::pair(kL1, kUb)}) {
    const double rate = experiment.hardware.pipes.pipe(from, to);
    numbers.push_back(rate > 0 ? rate : 1);  // machines without such a pipe
  }
  double cables = 1;
  for (const CablePlane& plane : experiment.run.cables) {
    for (const CableDamage& damage : plane.damages) cables *= damage.factor;
  }
  numbers.push_back(cables);
  std::ranges::copy(numbers_beside_machine(experiment), std::back_inserter(numbers));
  return numbers;
}

}  // namespace

TEST_CASE("every value of a machine or a program belongs to one part, or is left out with a reason") {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"hardware", "programs"}) {
    for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / folder))
      files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) {
    INFO(file);
    const std::vector<SourcedValue> values = values_in(file);
    std::map<std::string, int> times;
    for (const MachinePart& part : machine_parts()) {
      INFO(part.name);
      const auto of = values_of(part, values);
      for (const auto& [path, value] : of) ++times[path];
    }
    for (const LeftOut& left : kLeftOut) {
      CHECK(!left.why.empty());
      for (const SourcedValue& value : values) times[value.path] += names(left.value, value.path);
    }
    for (const SourcedValue& value : values) {
      INFO(value.path);
      CHECK(times[value.path] == 1);
    }
  }
}

TEST_CASE("each part changes its own values by a tenth, and no others") {
  const Experiment experiment = small();
  std::vector<SourcedValue> values = values_in(configs_folder() / "hardware" / "a3.yaml");
  for (SourcedValue& value : values_in(configs_folder() / "programs" / "hyperparallel.yaml"))
    values.push_back(std::move(value));
  for (const MachinePart& part : machine_parts()) {
    if (!part.is_described(experiment)) continue;
    std::vector<std::string> set;
    const auto of = values_of(part, values);
    for (const auto& [path, value] : of) {
      if (const std::string better = tenth_better(value); !better.empty()) set.push_back(path + "=" + better);
    }
    Experiment stated = small(set);
    for (const auto& [path, value] : of) state_rest(stated, path);
    const std::vector<double> expected = numbers_of(stated);
    const Experiment better = improved(experiment, part, {kTenth});
    const std::vector<double> after = numbers_of(better);
    const std::vector<double> before = numbers_of(experiment);
    INFO(part.name);
    CHECK(after != before);
    constexpr double kLines = 1e-4;  // the L2 grows by whole lines in all ways
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO("number " << i);
      CHECK(after[i] == Approx(expected[i]).epsilon(kLines));
    }
  }
}

TEST_CASE(
    "parts that only some machines or programs describe change what these alone have, and nothing else") {
  const auto shipped = [](const char* name, const std::vector<std::string>& set = {}) {
    return load_experiment(configs_folder() / "experiments" / (std::string(name) + ".yaml"), set);
  };
  const std::string cables =
      "network.topology={hccs: {kind: two_level, leaves: 8, leaf: 8, spines: 4, rate: 122.5 GB/s}}";
  const Experiment experiments[] = {
      shipped("feplb_ep2"),
      shipped("ep8", {cables}),
      shipped("mega_moe", {"program.tasks.scalar_row=1 us"}),
      shipped("step_qwen3_8b"),
      shipped("ascend950_gemm"),
      shipped("step_h100", {"step.host.unlisted=1 us", "step.host.link=50 GB/s"}),
      shipped("decode_deepseek_v3_2", {"inference.launched=eager"})};
  std::vector<int> times(optional_numbers_of(small()).size(), 0);
  for (const MachinePart& part : machine_parts()) {
    if (part.is_described(small())) continue;
    INFO(part.name);
    std::vector<bool> improves(times.size(), false);
    for (const Experiment& experiment : experiments) {
      if (!part.is_described(experiment)) continue;
      const std::vector<double> before = optional_numbers_of(experiment);
      const Experiment better = improved(experiment, part, {kTenth});
      CHECK(numbers_of(better) == numbers_of(experiment));
      const std::vector<double> after = optional_numbers_of(better);
      for (std::size_t i = 0; i < before.size(); ++i) {
        INFO("number " << i);
        const double by = after[i] / before[i];
        CHECK((by == Approx(1) || by == Approx(kTenth).epsilon(2e-3)));
        if (by > 1.05) improves[i] = true;
      }
    }
    CHECK(std::ranges::count(improves, true) > 0);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] += improves[i] ? 1 : 0;
  }
  CHECK(times == std::vector<int>(times.size(), 1));
}
