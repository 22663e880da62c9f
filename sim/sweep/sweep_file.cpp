#include "sim/sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/result/metrics/point_metrics.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInclude = "include";

std::vector<std::string> names_of(const std::vector<SweepAxis>& axes) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes) names.push_back(axis.name);
  return names;
}

std::vector<std::string> labels_of(const SweepAxis& axis) {
  std::vector<std::string> labels;
  for (const SweepValue& value : axis.values) labels.push_back(value.label);
  return labels;
}

// Reads `4` or `[4, 8]`. Returns positions among the axis' values.
std::vector<std::size_t> values_of(const Config& filter, const SweepAxis& axis) {
  const std::vector<std::string> labels = labels_of(axis);
  const std::string yaml = filter.yaml(axis.name);
  std::vector<std::string> wanted;
  if (std::ranges::find(labels, yaml) == labels.end() && yaml.starts_with('[')) {
    wanted = filter.texts(axis.name);
  } else {
    wanted = {yaml.starts_with('"') ? filter.text(axis.name) : yaml};
  }
  std::vector<std::size_t> values;
  for (const std::string& label : wanted) {
    const auto found = std::ranges::find(labels, label);
    if (found == labels.end()) {
      filter.error(axis.name,
                   fmt::format("axis '{}' has no value '{}'{}", axis.name, label, suggestion(label, labels)));
    } else {
      values.push_back(static_cast<std::size_t>(found - labels.begin()));
    }
  }
  return values;
}

// Reads the `exclude` list of a sweep whose axes are known. Notes unknown axes and values.
void read_exclusions(const Config& sweep, SweepSpec& spec) {
  for (const Config& filter : sweep.maps("exclude")) {
    SweepExclusion exclusion{filter.mark(), {}};
    for (const std::string& name : filter.names()) {
      const auto axis = std::ranges::find(spec.axes, name, &SweepAxis::name);
      if (axis == spec.axes.end()) {
        filter.yaml(name);
        filter.error(name,
                     fmt::format("no axis is called '{}'{}", name, suggestion(name, names_of(spec.axes))));
        continue;
      }
      exclusion.values.emplace_back(static_cast<std::size_t>(axis - spec.axes.begin()),
                                    values_of(filter, *axis));
    }
    filter.finish();
    spec.exclusions.push_back(std::move(exclusion));
  }
}

// The treatment of positions whose configuration is refused.
enum class Refused : std::uint8_t { kError, kLeaveOut };
constexpr auto names_of(Refused) { return std::to_array<std::string_view>({"error", "leave_out"}); }

// Reads one file, mapping by mapping.
class SweepReader {
 public:
  SweepReader(const Config& config, SweepSpec& spec) : config_(config), spec_(spec) {}

  void read() {
    spec_.base = base_of(config_.text("base"));
    if (config_.has("set")) spec_.settings = settings_of(config_.map("set"));
    const Config axes = config_.map("axes");
    for (const std::string& name : axes.names()) read_axis(axes, name);
    axes.finish();
    if (spec_.axes.empty()) config_.error("axes", "expected at least one axis");
    check_keys(axes);
    check_size();
    read_exclusions(config_, spec_);
    read_metrics();
    spec_.leave_out_refused = config_.choice("refused", Refused::kError) == Refused::kLeaveOut;
    read_best();
    config_.finish();
  }

 private:
  // Returns the file that `base` names: beside this one, or else the shipped experiment of this name.
  std::string base_of(const std::string& base) const {
    std::error_code error;
    const fs::path path = base;
    if (path.has_parent_path() || fs::exists(spec_.file.parent_path() / path, error)) return base;
    for (const std::string& name : {base, base + ".yaml"}) {
      const fs::path shipped = configs_folder() / "experiments" / name;
      if (fs::is_regular_file(shipped, error)) return fs::absolute(shipped).string();
    }
    const std::vector<std::string> known = names_in(configs_folder() / "experiments");
    config_.error("base",
                  fmt::format("'{}': no such file beside this one, and no shipped experiment of this name; "
                              "there are: {}",
                              base, fmt::join(known, ", ")));
    return base;
  }

  std::vector<Override> settings_of(const Config& map) const {
    return read_overrides(map, spec_.file.parent_path());
  }

  void read_axis(const Config& axes, const std::string& name) {
    const Config axis = axes.map(name);
    SweepAxis read{name, {}, spec_.dimensions};
    if (axis.has("list") + axis.has("key") + axis.has("keys") != 1) {
      axes.error(name,
                 "expected one of these: 'key' with 'values', 'keys' with 'values' that all of them take, or "
                 "'list' with named settings");
      for (const std::string& key : axis.keys()) axis.has(key);
      return;
    }
    if (axis.has("list")) {
      const Config list = axis.map("list");
      for (const std::string& label : list.names())
        read.values.push_back({label, settings_of(list.map(label))});
    } else {
      read_values(axis, read);
    }
    if (read.values.empty()) axes.error(name, "no values, expected at least one");
    place(axis, read);
    axis.finish();
    spec_.axes.push_back(std::move(read));
  }

  // Names a file by its name without folder and ending.
  void read_values(const Config& axis, SweepAxis& read) const {
    const std::vector<std::string> keys =
        axis.has("key") ? std::vector<std::string>{axis.text("key")} : axis.texts("keys");
    if (keys.empty()) axis.error("keys", "none, expected at least one");
    for (const auto& [yaml, mark] : axis.yaml_items("values")) {
      std::string label = without_quotes(yaml);
      if (keys == std::vector<std::string>{std::string(kInclude)}) label = fs::path(label).stem().string();
      if (std::ranges::find(read.values, label, &SweepValue::label) != read.values.end())
        axis.error("values", fmt::format("'{}' stands there twice, expected once", label));
      read.values.push_back({label, {}});
      for (const std::string& key : keys)
        read.values.back().settings.push_back(make_override(key, yaml, mark, spec_.file.parent_path()));
    }
  }

  // Gives the axis a dimension of its own, or that of an earlier axis.
  void place(const Config& axis, SweepAxis& read) {
    if (!axis.has("zip")) {
      ++spec_.dimensions;
      return;
    }
    const std::string with = axis.text("zip");
    const auto other = std::ranges::find(spec_.axes, with, &SweepAxis::name);
    if (other == spec_.axes.end()) {
      axis.error("zip", fmt::format("no axis '{}' stands before this one{}", with,
                                    suggestion(with, names_of(spec_.axes))));
      return;
    }
    read.dimension = other->dimension;
    if (other->values.size() != read.values.size())
      axis.error("zip", fmt::format("{} values beside {} of '{}', expected as many", read.values.size(),
                                    other->values.size(), with));
  }

  // Refuses two axes that set the same key: the later one would win, whatever the other's coordinate says.
  void check_keys(const Config& axes) const {
    std::vector<std::pair<std::string, const SweepAxis*>> keys;
    for (const SweepAxis& axis : spec_.axes) {
      for (const SweepValue& value : axis.values) {
        for (const Override& setting : value.settings) {
          if (setting.key != kInclude) keys.emplace_back(setting.key + '.', &axis);
        }
      }
    }
    std::ranges::sort(keys);
    std::size_t above = 0;  // the last one that is not part of another key
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const auto& [key, axis] = keys[i];
      const auto& [before, other] = keys[above];
      if (!key.starts_with(before)) above = i;
      if (above == i || axis == other) continue;
      axes.error(axis->name, fmt::format("sets {}, as axis '{}' does, expected one axis for a key",
                                         key.substr(0, key.size() - 1), other->name));
      return;
    }
  }

  void check_size() const {
    std::uint64_t points = 1;
    for (std::size_t d = 0; d < spec_.dimensions; ++d) {
      const auto axis = std::ranges::find(spec_.axes, d, &SweepAxis::dimension);
      points *= axis == spec_.axes.end() ? 1 : std::max<std::size_t>(1, axis->values.size());
      if (points <= kMostPoints) continue;
      config_.error("axes",
                    fmt::format("more than {} points, expected fewer: take fewer values, or 'zip' axes "
                                "that need not be crossed",
                                kMostPoints));
      return;
    }
  }

  void read_metrics() {
    std::vector<std::string> known = metric_names();
    if (!config_.has("metrics")) {
      spec_.metrics = std::move(known);
      return;
    }
    spec_.metrics = config_.texts("metrics");
    if (spec_.metrics.empty()) config_.error("metrics", "none, expected at least one");
    for (const std::string& name : spec_.metrics) {
      if (std::ranges::find(known, name) == known.end())
        config_.error("metrics", fmt::format("no metric is called '{}'{}", name, suggestion(name, known)));
    }
  }

  void read_best() {
    spec_.best = static_cast<std::size_t>(config_.integer("best", 0, kMostPoints, 0));
    if (spec_.best > 0 && std::ranges::find(spec_.metrics, "latency") == spec_.metrics.end())
      config_.error("best", "these are the points of the least latency, which metrics leaves out");
  }

  const Config& config_;
  SweepSpec& spec_;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// Adds the settings of the command line. Refuses keys of an axis, whose coordinates would then be wrong.
void add_overrides(SweepSpec& spec, std::span<const std::string> overrides) {
  std::uint32_t number = 0;
  for (const std::string& override : overrides) {
    const Mark mark{"--set", ++number, 1};
    const std::size_t equals = override.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("{}: '{}' has no '=', expected path.to.key=value", mark.text(), override));
    const std::string key = trimmed(override.substr(0, equals));
    for (const SweepAxis& axis : spec.axes) {
      for (const SweepValue& value : axis.values) {
        for (const Override& setting : value.settings) {
          const std::string a = key + '.', b = setting.key + '.';
          if (!a.starts_with(b) && !b.starts_with(a)) continue;
          throw InputError(fmt::format("{}: {}: the sweep's axis '{}' sets {}, expected another key",
                                       mark.text(), key, axis.name, setting.key));
        }
      }
    }
    std::erase_if(spec.settings, [&](const Override& setting) { return setting.key == key; });
    spec.settings.push_back({key, override.substr(equals + 1), mark});
    spec.text += fmt::format("# --set {}\n", override);
  }
}

}  // namespace

void read_sweep(const Config& root, SweepSpec& spec) { SweepReader(root.map("sweep"), spec).read(); }

SweepSpec read_sweep(const fs::path& file, std::span<const std::string> overrides) {
  SweepSpec spec;
  spec.file = file;
  spec.name = file.stem().string();
  if (std::ranges::any_of(spec.name, [](unsigned char c) { return c < ' ' || c == 0x7F; }))
    throw InputError(
        fmt::format("{}: a control character in the name of a sweep, which scripts and tables have too; "
                    "rename the file",
                    file.string()));
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  diagnostics.throw_if_any();
  if (!root.has("sweep")) {
    diagnostics.error(root.mark(), "sweep",
                      "missing: a sweep stands below this key, as in configs/sweeps/paper.yaml");
    diagnostics.throw_if_any();
  }
  spec.text = read_file(file);
  if (!spec.text.ends_with('\n')) spec.text += '\n';
  read_sweep(root, spec);
  root.finish();
  diagnostics.throw_if_any();
  add_overrides(spec, overrides);
  if (spec.best > 0) spec.text += fmt::format("# --best {}\n", spec.best);
  return spec;
}

}  // namespace a3sim
