#include "sim/study/machine_part.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/core/config/config.h"
#include "tests/study/small_experiment.h"

using namespace a3sim;

namespace {

constexpr double kTenth = 1.1;
constexpr std::uint32_t kMoreAic = 28, kMoreAiv = 55;  // than 25 and 50; 27.5 is rounded up

std::vector<double> numbers_of(const Hardware& h) {
  const auto& [c, v, m, f] = std::tie(h.cube, h.vector, h.memory, h.fabric);
  std::vector<double> numbers{
      c.speed,          c.mad_head_cycles, c.l1_to_l0a,         c.l1_to_l0b,   c.gm_to_l1, c.gm_to_l1_miss,
      c.l0c_to_gm,      c.unaligned,       c.load_issue_cycles, v.simple_fp32, v.convert,  v.transcendental,
      v.startup_cycles, v.gm_to_ub,        v.gm_to_ub_miss,     v.ub_to_gm,    v.unaligned};
  for (const std::uint32_t count : {h.workers.cube, h.workers.vector, c.macs_per_cycle_16,
                                    c.macs_per_cycle_32, c.macs_per_cycle_8, m.l2_ways})
    numbers.push_back(count);
  for (const Bytes bytes : {c.l1, c.l0a, c.l0b, c.l0c, v.ub, v.tile, m.l2_size})
    numbers.push_back(static_cast<double>(bytes.count));
  for (const BytesPerSecond rate : {m.l2_read, m.l2_write, m.l2_line_read, m.hbm_read, m.hbm_write, f.egress,
                                    f.ingress, f.put_per_worker, h.collective.rate})
    numbers.push_back(static_cast<double>(rate.count));
  for (const Duration time :
       {f.hop_latency, f.put_fence, h.collective.fixed, h.collective.per_peer, h.runtime.static_task,
        h.runtime.dynamic_task, h.runtime.local_visibility, h.runtime.kernel_launch})
    numbers.push_back(static_cast<double>(time.count()));
  numbers.push_back(static_cast<double>(h.clock.count));
  return numbers;
}

// A value as it is written, "1.6 TB/s" or "0.7 us", a tenth better; empty for one that counts whole things.
std::string tenth_better(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::string unit = text.substr(end);
  if (unit == " us") return fmt::format("{:.0f} ps", number * 1e6 / kTenth);
  if (unit == " MiB") return fmt::format("{:.0f} KiB", number * 1024 * kTenth);
  if (unit.empty() && number == std::floor(number)) return {};
  return unit == " MAC/cycle" ? "" : fmt::format("{:.10g}{}", number * kTenth, unit);
}

// What no configuration can state.
void state_rest(Hardware& hardware, const std::string& path) {
  if (path == "hardware.workers.cube.macs_16")
    hardware.cube.speed *= kTenth;  // of the other products, and of heads
  if (path == "hardware.workers.cube.load_issue_cycles") hardware.cube.load_issue_cycles /= kTenth;
  if (path == "hardware.workers.vector.startup_cycles") hardware.vector.startup_cycles /= kTenth;
  if (path == "hardware.workers.cube.count") hardware.workers.cube = kMoreAic;
  if (path == "hardware.workers.vector.count") hardware.workers.vector = kMoreAiv;
}

}  // namespace

TEST_CASE("every value of a hardware file belongs to one part of the machine, or is left out with a reason") {
  std::map<std::string, int> times;
  for (const MachinePart& part : machine_parts()) {
    for (const std::string_view value : part.values) ++times["hardware." + std::string(value)];
  }
  for (const LeftOut& left : left_out_values()) {
    CHECK(!left.why.empty());
    ++times["hardware." + std::string(left.value)];
  }
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "hardware")) {
    Diagnostics diagnostics;
    for (const SourcedValue& value : Config::load(entry.path(), {}, diagnostics).map("hardware").sourced()) {
      INFO(value.path);
      CHECK(times[value.path] == 1);
    }
  }
  Diagnostics diagnostics;
  const Config a3 = Config::load(configs_folder() / "hardware" / "a3.yaml", {}, diagnostics);
  CHECK(times.size() == a3.map("hardware").sourced().size());
}

TEST_CASE("each part changes its own values by a tenth, and no others") {
  const Experiment experiment = small();
  Diagnostics diagnostics;
  const Config a3 = Config::load(configs_folder() / "hardware" / "a3.yaml", {}, diagnostics);
  std::map<std::string, std::string> written;
  for (const SourcedValue& value : a3.map("hardware").sourced()) written[value.path] = value.value;
  for (const MachinePart& part : machine_parts()) {
    std::vector<std::string> set;
    for (const std::string_view value : part.values) {
      const std::string path = "hardware." + std::string(value), better = tenth_better(written.at(path));
      if (!better.empty()) set.push_back(path + "=" + better);
    }
    Hardware stated = small(set).hardware;
    for (const std::string_view value : part.values) state_rest(stated, "hardware." + std::string(value));
    const std::vector<double> expected = numbers_of(stated);
    Hardware better = experiment.hardware;
    part.improve(better, {kTenth});
    const std::vector<double> improved = numbers_of(better);
    const std::vector<double> before = numbers_of(experiment.hardware);
    INFO(part.name);
    CHECK(improved != before);
    constexpr double kLines = 1e-4;  // the L2 grows by whole lines in all ways
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO("number " << i);
      CHECK(improved[i] == Approx(expected[i]).epsilon(kLines));
    }
  }
}
