#include "sim/variation/machine_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/memory/l2/l2.h"
#include "sim/runtime/cause.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

using ValueForm = MachinePart::Form;

constexpr double kFree = 1e5;
constexpr double kMostWorkers = 16384;  // the most that a configuration may state

std::int64_t scaled_amount(std::int64_t amount, double factor) {
  return static_cast<std::int64_t>(std::clamp(std::round(static_cast<double>(amount) * factor), 1.0,
                                              static_cast<double>(kLargestQuantity)));
}

std::optional<std::int64_t> amount_of(std::string_view text, QuantityKind kind) {
  const Parsed<std::int64_t> parsed = parse_quantity(text, kind);
  return parsed.error.empty() ? std::optional(parsed.value) : std::nullopt;
}

// Returns the number that a text begins with, and the rest: the unit with the space before it.
std::pair<double, std::string> number_and_unit(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  return {number, text.substr(end)};
}

std::string better_rate(const std::string& text, const Improvement& by) {
  if (const auto rate = amount_of(text, QuantityKind::kRate))
    return fmt::format("{} B/s", scaled_amount(*rate, by.factor));
  if (const auto clock = amount_of(text, QuantityKind::kFrequency))
    return fmt::format("{} Hz", scaled_amount(*clock, by.factor));
  if (const auto bytes = amount_of(text, QuantityKind::kBytes))
    return fmt::format("{} B", scaled_amount(*bytes, by.factor));
  const auto [number, unit] = number_and_unit(text);
  return fmt::format("{}{}", number * by.factor, unit);
}

std::string better_time(const std::string& text, const Improvement& by) {
  const auto time = amount_of(text, QuantityKind::kDuration);
  if (!time) return fmt::format("{}", by.free ? 0 : number_and_unit(text).first / by.factor);  // cycles
  return fmt::format("{} ps", by.free || *time == 0 ? 0 : scaled_amount(*time, 1 / by.factor));
}

// Keeps whole lines in all ways of every set.
std::string better_size(const std::string& text, const Improvement& by, std::uint32_t ways) {
  const std::int64_t now = amount_of(text, QuantityKind::kBytes).value_or(1);
  const std::int64_t wanted =
      by.everything > 0 ? std::max(by.everything, now) : scaled_amount(now, by.factor);
  const std::int64_t stride = std::int64_t{ways} * kL2Line;
  return fmt::format("{} B", (wanted + stride - 1) / stride * stride);
}

std::uint32_t better_count(std::uint32_t workers, const Improvement& by) {
  constexpr double kRounding = 1e-9;  // so that 50 times 1.1 is 55
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil(workers * by.factor - kRounding), 1.0, kMostWorkers));
}

std::string better_text(const std::string& text, ValueForm form, const Improvement& by,
                        const Experiment& experiment) {
  switch (form) {
    case ValueForm::kRate:
      return better_rate(text, by);
    case ValueForm::kTime:
      return better_time(text, by);
    case ValueForm::kShare:
      return fmt::format("{}", by.free ? 1 : std::min(1.0, number_and_unit(text).first * by.factor));
    case ValueForm::kFactor:
      return fmt::format("{}", number_and_unit(text).first * by.factor);
    case ValueForm::kSize:
      return better_size(text, by, experiment.hardware.memory.l2_ways);
    case ValueForm::kWorkers:
    case ValueForm::kStandsFor:
      break;
  }
  throw std::logic_error("no text states how this value improves");
}

// The machine's block of a kind of worker.
std::string block_of(const WorkerKind& kind) {
  if (kind.name == "AIC") return "cube";
  return kind.name == "AIV" ? "vector" : kind.key();
}

bool states_shares(const Experiment& experiment) {
  Diagnostics ignored;
  return Config::from(*experiment.tree, {}, ignored).map("cut").has("shares");
}

WorkerKinds more_workers(const MachinePart& part, const Experiment& experiment, const Improvement& by) {
  WorkerKinds workers = experiment.hardware.workers;
  for (std::uint32_t u = 0; u < kCoreUnits; ++u) {
    const std::string_view usual = u == 0 ? "hardware.workers.cube.count" : "hardware.workers.vector.count";
    const bool improves = std::ranges::any_of(
        part.values, [&](const MachinePart::Value& value) { return value.path == usual; });
    WorkerKind& kind = workers.kind(static_cast<CoreUnit>(u));
    if (improves && !by.free) kind.count = better_count(kind.count, by);
  }
  return workers;
}

MachinePart read_machine_part(const Config& block) {
  constexpr std::pair<const char*, ValueForm> kForms[] = {
      {"rates", ValueForm::kRate},          {"times", ValueForm::kTime}, {"shares", ValueForm::kShare},
      {"factors", ValueForm::kFactor},      {"size", ValueForm::kSize},  {"workers", ValueForm::kWorkers},
      {"stands_for", ValueForm::kStandsFor}};
  MachinePart part;
  part.name = block.text("part");
  for (const auto& [key, form] : kForms) {
    for (std::string& path : block.texts(key)) part.values.push_back({std::move(path), form});
    if (form == ValueForm::kWorkers && block.has(key)) part.kind = MachinePart::Kind::kCount;
  }
  if (block.boolean("whole", false)) part.kind = MachinePart::Kind::kWhole;
  part.cables = block.boolean("cables", false);
  part.optional = block.boolean("optional", false);
  part.needs = block.texts("needs");
  part.blamed = block.texts("blamed");
  for (const std::string& cause : part.blamed) {
    if (std::ranges::find(kNamesOf<Blame>, cause) == kNamesOf<Blame>.end())
      block.error("blamed",
                  fmt::format("'{}' is no cause: expected {}", cause, fmt::join(kNamesOf<Blame>, ", ")));
  }
  part.charged = block.text("charged", "");
  part.transport = block.text("transport", "");
  block.finish();
  return part;
}

std::vector<MachinePart> read_machine_parts() {
  Diagnostics diagnostics;
  const Config root = Config::load(configs_folder() / "parts.yaml", {}, diagnostics);
  std::vector<MachinePart> parts;
  for (const Config& block : root.maps("machine")) parts.push_back(read_machine_part(block));
  diagnostics.throw_if_any();
  return parts;
}

// Improves the cables that do not end at a host.
void improve_cables(Experiment& experiment, const Improvement& by) {
  for (CablePlane& plane : experiment.run.cables) {
    CableDamage faster;
    faster.factor = by.factor;
    for (std::uint32_t c = 0; c < plane.layout->cables().size(); ++c) {
      const Cable& cable = plane.layout->cables()[c];
      if (!cable.from.starts_with("host") && !cable.to.starts_with("host")) faster.cables.push_back(c);
    }
    plane.damages.push_back(std::move(faster));
  }
}

bool is_zero(const std::string& text) { return amount_of(text, QuantityKind::kDuration) == 0; }

}  // namespace

Improvement Improvement::to_free(std::int64_t everything) { return {kFree, true, everything}; }

bool is_below(std::string_view path, std::string_view name) {
  while (true) {
    const std::size_t wanted = std::min(name.find('.'), name.size()),
                      found = std::min(path.find('.'), path.size());
    if (name.substr(0, wanted) != "*" && name.substr(0, wanted) != path.substr(0, found)) return false;
    if (wanted == name.size()) return true;
    if (found == path.size()) return false;
    name.remove_prefix(wanted + 1);
    path.remove_prefix(found + 1);
  }
}

bool MachinePart::is_described(const Experiment& experiment) const {
  const auto states = [&](std::string_view name, bool zero_too) {
    return std::ranges::any_of(experiment.values, [&](const auto& value) {
      return is_below(value.first, name) && (zero_too || !is_zero(value.second));
    });
  };
  if (cables) return !experiment.run.cables.empty();
  if (optional)
    return std::ranges::any_of(values, [&](const Value& value) { return states(value.path, false); });
  return std::ranges::all_of(needs, [&](const std::string& block) { return states(block, true); });
}

bool MachinePart::matters_to(const RunOptions& run) const {
  if (!charged.empty() && !charges(run, charged)) return false;
  if (transport == "puts") return run.transport == Transport::kPuts;
  return transport != "collective" || run.transport == Transport::kCollective;
}

std::string MachinePart::value_names() const {
  if (cables) return "network.topology";
  std::vector<std::string_view> names;
  for (const Value& value : values) names.push_back(value.path);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::span<const MachinePart> machine_parts() {
  static const std::vector<MachinePart> kParts = read_machine_parts();
  return kParts;
}

const MachinePart& machine_part(std::string_view name) {
  const std::span<const MachinePart> parts = machine_parts();
  const auto found = std::ranges::find(parts, name, &MachinePart::name);
  if (found == parts.end()) throw std::logic_error("no part of the machine is called " + std::string(name));
  return *found;
}

std::vector<std::string> changes_of(const MachinePart& part, const Experiment& experiment,
                                    const Improvement& by) {
  if (part.kind == MachinePart::Kind::kCount)
    return changes_to_workers(experiment, more_workers(part, experiment, by));
  std::vector<std::string> changes;
  for (const MachinePart::Value& value : part.values) {
    if (value.form == ValueForm::kStandsFor) continue;
    bool stated = false;
    for (const auto& [path, text] : experiment.values) {
      if (!is_below(path, value.path)) continue;
      stated = true;
      if (text == "none") continue;  // a pipe that the machine lacks
      changes.push_back(fmt::format("{}={}", path, better_text(text, value.form, by, experiment)));
    }
    if (!stated && value.form == ValueForm::kFactor && &value == part.values.data())  // others follow it
      changes.push_back(fmt::format("{}={}", value.path, better_text("1", value.form, by, experiment)));
  }
  return changes;
}

bool are_of_machine(std::span<const std::string> changes) {
  return std::ranges::all_of(changes, [](const std::string& change) {
    return change.starts_with("hardware.") || change.starts_with("program.");
  });
}

Experiment improved(const Experiment& experiment, const MachinePart& part, const Improvement& by) {
  if (part.kind == MachinePart::Kind::kCount) return experiment.with(changes_of(part, experiment, by));
  if (!part.cables) {
    const std::vector<std::string> changes = changes_of(part, experiment, by);
    return are_of_machine(changes) ? experiment.with_machine(changes) : experiment.with(changes);
  }
  Experiment better = experiment;
  better.amend([by](Experiment& changed) { improve_cables(changed, by); });
  return better;
}

std::vector<std::string> changes_to_workers(const Experiment& experiment, const WorkerKinds& workers) {
  const WorkerKinds& own = experiment.hardware.workers;
  std::vector<std::string> changes;
  std::uint32_t cubes = 0;
  for (std::uint32_t q = 0; q < own.size(); ++q) {
    const std::int64_t before = own[q].count, now = workers[q].count;
    const std::int64_t used =
        std::max(std::int64_t{1}, (experiment.workers[q].count * now + before / 2) / before);
    if (own[q].has(CoreUnit::kMatrix)) cubes = static_cast<std::uint32_t>(used);
    changes.push_back(fmt::format("hardware.workers.{}.count={}", block_of(own[q]), now));
    changes.push_back(fmt::format("workers.{}={}", own[q].key(), used));
  }
  if (states_shares(experiment) && experiment.cut.shares == experiment.workers.count(CoreUnit::kMatrix))
    changes.push_back(fmt::format("cut.shares={}", cubes));
  return changes;
}

}  // namespace a3sim
