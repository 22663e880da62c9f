#include "sim/result/inference_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "traces/report/figure.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr std::int64_t kLongestTime = std::int64_t{1} << 50;
constexpr double kAnyNumber = 1e18;
constexpr std::size_t kShownKernels = 14, kNamedClasses = 3;

// A part of a step's time.
struct TimePart {
  std::string name;
  double ms = 0, share = 0;
};

std::vector<TimePart> parts_in(const Config& result, const char* list, const char* name, const char* time) {
  std::vector<TimePart> parts;
  for (const Config& part : result.maps(list))
    parts.push_back({part.text(name), 1e-9 * static_cast<double>(part.integer(time, 0, kLongestTime)),
                     part.number("share", 0, 1)});
  return parts;
}

std::string class_sentence(std::vector<TimePart> classes) {
  std::ranges::stable_sort(classes, std::greater{}, &TimePart::ms);
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kNamedClasses, classes.size()); ++i)
    named.push_back(fmt::format("{} ({})", classes[i].name, in_percent(classes[i].share)));
  return fmt::format("Most of a die's time goes to {}.", fmt::join(named, ", "));
}

Figure class_figure(const std::vector<TimePart>& classes) {
  Figure figure;
  figure.title = "Where a die's time goes";
  figure.legend = "time of a die";
  figure.stacked = true;
  figure.x = names_axis("", {"step"});
  double whole = 0;
  for (const TimePart& part : classes) {
    figure.series.push_back({part.name, FigureKind::kBars, 0, false, {FigurePoint::at(0, part.ms)}});
    whole += part.ms;
  }
  figure.y = axis_from_zero("ms", {whole});
  return figure;
}

Figure kernel_figure(std::vector<TimePart> kernels) {
  std::ranges::stable_sort(kernels, std::greater{}, &TimePart::ms);
  if (kernels.size() > kShownKernels) kernels.resize(kShownKernels);
  Figure figure;
  figure.title = "Kernels that take most";
  figure.origin = "all runs of a kernel in a step, on any stream";
  std::vector<std::string> names;
  std::vector<double> values;
  FigureSeries& series = figure.series.emplace_back();
  series.kind = FigureKind::kBars;
  series.color = kInkColor;
  for (const TimePart& kernel : kernels) {
    series.points.push_back(FigurePoint::at(static_cast<double>(names.size()), kernel.ms));
    names.push_back(kernel.name);
    values.push_back(kernel.ms);
  }
  figure.x = names_axis("", names);
  figure.y = axis_from_zero("ms", values);
  return figure;
}

Table kernel_table(const Config& result) {
  Table table({Column::words("kernel"), Column::number("runs", "runs", 0), Column::number("each us", "", 2),
               Column::number("all ms", "", 3), Column::percent("of step", ""), Column::words("bound by")});
  for (const Config& kernel : result.maps("kernels_of_step")) {
    const double runs = kernel.number("runs", 0, kAnyNumber);
    const auto time = static_cast<double>(kernel.integer("all_ps", 0, kLongestTime));
    table.add({kernel.text("kernel"), runs, 1e-6 * time / std::max(1.0, runs), 1e-9 * time,
               kernel.number("share", 0, kAnyNumber), kernel.text("bound")});
  }
  return table;
}

Table class_table(const std::vector<TimePart>& classes) {
  Table table({Column::words("time of a die"), Column::number("ms", "", 3), Column::percent("of step", "")});
  for (const TimePart& part : classes) table.add({part.name, part.ms, part.share});
  return table;
}

// Returns the times of kernels by what they are bound by, as the sentence has them.
Table bound_table(const Config& result) {
  std::vector<TimePart> bounds;
  for (const Config& kernel : result.maps("kernels_of_step")) {
    const std::string by = kernel.text("bound");
    auto found = std::ranges::find(bounds, by, &TimePart::name);
    if (found == bounds.end()) found = bounds.insert(found, TimePart{by});
    found->ms += 1e-9 * static_cast<double>(kernel.integer("all_ps", 0, kLongestTime));
  }
  std::ranges::stable_sort(bounds, std::greater{}, &TimePart::ms);
  Table table({Column::words("kernels bound by"), Column::number("ms", "", 1)});
  for (const TimePart& bound : bounds) table.add({bound.name, bound.ms});
  return table;
}

std::vector<PageBlocks::Card> cards_of(const Config& result) {
  constexpr double kGibibyte = 1 << 30;
  const auto ms = [&](const char* key) {
    return fmt::format("{:.3f} ms", 1e-9 * static_cast<double>(result.integer(key, 0, kLongestTime)));
  };
  std::vector<PageBlocks::Card> cards{{"step", ms("step_ps"), result.text("method")}};
  if (result.text("method") == "decode")  // a prefill leaves no output token
    cards.push_back({"per output token", ms("tpot_ps"), ""});
  cards.push_back(
      {"tokens/s per die", fmt::format("{:.0f}", result.number("tokens_per_second_per_die", 0, kAnyNumber)),
       fmt::format("{:.0f} per package", result.number("tokens_per_second_per_package", 0, kAnyNumber))});
  cards.push_back({"memory of a die",
                   fmt::format("{:.1f} GiB", result.number("peak_memory_bytes", 0, kAnyNumber) / kGibibyte),
                   fmt::format("a batch of {:.0f} fits", result.number("largest_batch", 0, kAnyNumber))});
  return cards;
}

}  // namespace

void add_inference(Page& page, const std::filesystem::path& directory, const std::string& title) {
  Diagnostics diagnostics;
  const Config result = Config::load(directory / "result.json", {}, diagnostics);
  if (!result.has("kernels_of_step") || !result.has("classes") || !result.has("tpot_ps")) return;
  const std::vector<TimePart> classes = parts_in(result, "classes", "class", "mean_ps");
  PageBlocks blocks;
  blocks.cards(cards_of(result)).verdict(class_sentence(classes));
  if (result.has("bound_by")) blocks.verdict(result.text("bound_by"));
  if (result.has("assumed")) blocks.say(result.text("assumed"));
  blocks.figure(class_figure(classes))
      .figure(kernel_figure(parts_in(result, "kernels_of_step", "kernel", "all_ps")));
  diagnostics.throw_if_any();
  page.add(title, blocks);
  page.add(title + ": classes and kernels",
           PageBlocks().table(class_table(classes)).table(bound_table(result)).table(kernel_table(result)),
           true);
}

}  // namespace a3sim
