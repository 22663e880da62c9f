#include "sim/sweep/point.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "version.h"

namespace a3sim {
namespace {

// True if a position is excluded. `matched` marks the exclusions that match.
bool is_excluded(const SweepSpec& spec, const SweepPosition& position, std::vector<bool>& matched) {
  bool excluded = false;
  for (std::size_t e = 0; e < spec.exclusions.size(); ++e) {
    const bool match = std::ranges::all_of(spec.exclusions[e].values, [&](const auto& axis) {
      return std::ranges::find(axis.second, position[axis.first]) != axis.second.end();
    });
    if (match) matched[e] = true;
    excluded = excluded || match;
  }
  return excluded;
}

std::vector<std::uint32_t> sizes_of(const SweepSpec& spec) {
  std::vector<std::uint32_t> sizes(spec.dimensions, 1);
  for (const SweepAxis& axis : spec.axes)
    sizes[axis.dimension] = static_cast<std::uint32_t>(axis.values.size());
  return sizes;
}

// Advances to the next place. Returns false after the last.
bool next(std::vector<std::uint32_t>& place, const std::vector<std::uint32_t>& sizes) {
  for (std::size_t d = place.size(); d-- > 0;) {
    if (++place[d] < sizes[d]) return true;
    place[d] = 0;
  }
  return false;
}

using Values = std::vector<std::pair<std::string, std::string>>;

std::string hash_of(const std::string& text) {
  // A namespace of UUIDs for points only.
  constexpr boost::uuids::uuid kPoints = {
      {0x3d, 0x5a, 0x0b, 0x1c, 0x8e, 0x27, 0x4f, 0x60, 0x9a, 0x41, 0x77, 0x1e, 0xc2, 0x05, 0xd8, 0x36}};
  std::string hex;
  for (const std::uint8_t byte : boost::uuids::name_generator_sha1(kPoints)(text))
    hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string above(const std::string& path) { return path.substr(0, std::min(path.rfind('.'), path.size())); }

// Returns all values by path, then the mappings below the top in their order, which readers may depend on
// (the fabric's levels, from near to far).
std::string canonical(const Values& values) {
  std::vector<std::string> lines, maps;
  for (const auto& [path, value] : values) {
    lines.push_back(fmt::format("{}={}\n", path, value));
    const std::string map = above(path);
    if (std::ranges::count(map, '.') > 0 && (maps.empty() || maps.back() != map)) maps.push_back(map);
  }
  std::ranges::sort(lines);
  std::ranges::stable_sort(maps, {}, [](const std::string& map) { return map.substr(0, map.find('.')); });
  return fmt::format("{}\n{}\n", fmt::join(lines, ""), fmt::join(maps, "\n"));
}

// True for keys that compilation may read. Points that differ only in other keys come after one another. A
// key too few costs compilations, one too many nothing: only equal schedules are shared.
bool is_compiled(std::string_view path) {
  constexpr std::string_view kRead[] = {"hardware.clock", "hardware.workers.cube.macs_16",
                                        "hardware.workers.vector.gm_to_ub"};
  constexpr std::string_view kNotRead[] = {"hardware.",
                                           "program.",
                                           "l2.",
                                           "network.",
                                           "ranks.",
                                           "experiment.poll.",
                                           "experiment.dispatch_servers",
                                           "experiment.name",
                                           "experiment.execution",
                                           "parallel.tp_stride",
                                           "parallel.nodes",
                                           "experiment.communication"};
  if (std::ranges::find(kRead, path) != std::end(kRead)) return true;
  return std::ranges::none_of(kNotRead, [&](std::string_view start) { return path.starts_with(start); });
}

std::string taskflow_of(const Values& values, const Experiment& experiment) {
  Values compiled;
  for (const auto& value : values) {
    const bool rows = value.first.starts_with("routing.") && experiment.bucket_rows.has_value();
    if (is_compiled(value.first) && !rows && !experiment.work->shares_runs(value.first))
      compiled.push_back(value);
  }
  return hash_of(canonical(compiled) + (experiment.cut.kernel ? "kernel" : ""));
}

// Returns the settings at a position by key, later ones over earlier ones, so that equal configurations are
// built in the same way.
std::vector<Override> settings_at(const SweepSpec& spec, const SweepPosition& position) {
  std::vector<Override> settings;
  const auto add = [&](const Override& setting) {
    const auto same = std::ranges::find(settings, setting.key, &Override::key);
    if (setting.key != "include" && same != settings.end()) {
      *same = setting;
    } else {
      settings.push_back(setting);
    }
  };
  for (const Override& setting : spec.settings) add(setting);
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    for (const Override& setting : spec.axes[a].values[position[a]].settings) add(setting);
  }
  std::ranges::stable_sort(settings, {}, &Override::key);
  return settings;
}

// Returns the error messages of a point's configuration, with the places in the sweep's file that set the
// wrong values.
std::string placed(const std::string& messages, const std::vector<Override>& overrides,
                   const std::string& point) {
  std::string text;
  std::size_t start = 0;
  while (start < messages.size()) {
    const std::size_t end = std::min(messages.find('\n', start), messages.size());
    std::string line = messages.substr(start, end - start);
    start = end + 1;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
      const std::string mark = fmt::format("--set:{}:", i + 1);
      if (!line.starts_with(mark)) continue;
      line = overrides[i].mark.text() + line.substr(std::min(line.find(": "), line.size()));
      break;
    }
    text += fmt::format("{}{} (at {})", text.empty() ? "" : "\n", line, point);
  }
  return text;
}

}  // namespace

// Returns the name of a configuration, its files and the program's model: a name-based UUID (RFC 4122,
// version 5) of all values and defaults with their paths. The order of keys, comments and sources do not
// matter.
std::string point_id(const PortableConfig& config) {
  std::string text = fmt::format("{}\n{}", kModelHash, canonical(config.values));
  for (const auto& [name, contents] : config.files)
    text += fmt::format("{} {}\n{}", name, contents.size(), contents);
  return hash_of(text);
}

std::vector<SweepPosition> positions_of(const SweepSpec& spec) {
  const std::vector<std::uint32_t> sizes = sizes_of(spec);
  std::vector<std::uint32_t> place(sizes.size(), 0);
  std::vector<bool> matched(spec.exclusions.size());
  std::vector<SweepPosition> positions;
  do {
    SweepPosition position;
    for (const SweepAxis& axis : spec.axes) position.push_back(place[axis.dimension]);
    if (!is_excluded(spec, position, matched)) positions.push_back(std::move(position));
  } while (next(place, sizes));
  Diagnostics diagnostics;
  for (std::size_t e = 0; e < matched.size(); ++e) {
    if (!matched[e]) diagnostics.error(spec.exclusions[e].mark, "sweep.exclude", "matches no point");
  }
  diagnostics.throw_if_any();
  if (positions.empty())
    throw InputError(fmt::format("{}: sweep.exclude: all points are left out", spec.file.string()));
  return positions;
}

std::string describe(const SweepSpec& spec, const SweepPosition& position) {
  std::string text;
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    const SweepAxis& axis = spec.axes[a];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis.name, axis.values[position[a]].label);
  }
  return text;
}

std::shared_ptr<const ConfigValue> PointReader::included(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  const auto [known, is_new] = included_.try_emplace(text);
  if (!is_new) return known->second;
  Diagnostics diagnostics;
  try {
    const Config root = Config::parse(text, spec_.file.string(), {}, diagnostics);
    if (diagnostics.empty()) known->second = root.tree();
  } catch (const InputError&) {
    return nullptr;  // something is left open
  }
  return known->second;
}

Experiment PointReader::read(const std::string& text, const std::vector<std::string>& overrides) {
  const std::shared_ptr<const ConfigValue> tree = included(text);
  if (tree == nullptr) return parse_experiment(text, spec_.file.string(), overrides);
  Diagnostics diagnostics;
  return read_experiment(Config::from(*tree, overrides, diagnostics), diagnostics);
}

SweepPoint PointReader::resolve(const SweepPosition& position) {
  std::string text = fmt::format("include: [\"{}\"", spec_.base);
  std::vector<Override> overrides;
  std::vector<std::string> lines;
  for (const Override& setting : settings_at(spec_, position)) {
    if (setting.key == "include") {
      text += fmt::format(", \"{}\"", setting.value);
    } else {
      overrides.push_back(setting);
      lines.push_back(setting.key + '=' + setting.value);
    }
  }
  SweepPoint point;
  try {
    point.experiment = read(text + "]\n", lines);
    point.config = portable(point.experiment);
  } catch (const InputError& error) {
    throw InputError(placed(error.what(), overrides, describe(spec_, position)));
  }
  point.id = point_id(point.config);
  point.taskflow = taskflow_of(point.config.values, point.experiment);
  return point;
}

}  // namespace a3sim
