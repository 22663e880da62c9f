#include "sim/traffic/log_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

// Returns numbers as "0 to 3, 5".
std::string ranges(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (end > i + 1) text += fmt::format(" to {}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::uint32_t> layers_of(const TrafficLog& log) {
  std::vector<std::uint32_t> layers;
  for (const auto& [layer, rows] : log.layers) layers.push_back(layer);
  return layers;
}

void add_left_out(const TrafficLog& log, Report& report) {
  const NoTrafficRows& out = log.left_out;
  const auto part = [&](std::uint64_t rows) {
    return 100 * static_cast<double>(rows) / static_cast<double>(log.rows);
  };
  report.fact("dummy_rows", whole(out.dummy_rows)).fact("dummy_runs", whole(out.dummy_runs));
  report.fact("padding_rows", whole(out.padding_rows)).fact("repeated_rows", whole(out.repeated_rows));
  report.fact("repeated_requests", whole(out.repeated_requests))
      .fact("cut_off", std::int64_t{log.meta.cut_off});
  std::string text;
  if (out.dummy_rows > 0)
    text += fmt::format(
        "  {} rows ({:.1f} %) in {} run{} of one and the same routing: warm-up or dummy batches\n",
        out.dummy_rows, part(out.dummy_rows), out.dummy_runs, out.dummy_runs == 1 ? "" : "s");
  if (out.padding_rows > 0)
    text += fmt::format("  {} rows ({:.1f} %) without an expert: padding\n", out.padding_rows,
                        part(out.padding_rows));
  if (out.repeated_rows > 0)
    text +=
        fmt::format("  {} rows ({:.1f} %) of {} requests that repeat an earlier one, routing by routing\n",
                    out.repeated_rows, part(out.repeated_rows), out.repeated_requests);
  if (log.meta.cut_off) text += "  the last line, which ends in the middle\n";
  report.say(text.empty() ? "Nothing is left out: no warm-up, padding or repeated requests were found.\n"
                          : "No traffic, and left out:\n" + text);
}

}  // namespace

void add_layers(const FittedExperiment& fitted, Report& report) {
  std::string notes;
  for (const std::string& note : fitted.notes) notes += note + '\n';
  if (!notes.empty()) report.say(notes);
  // Of one layer, the decision has a table with more.
  const Audience seen = fitted.layers.size() > 1 ? Audience::kAll : Audience::kPrograms;
  Table& table =
      report.table("by_layer",
                   {Column::count("layer"), Column::number("busiest expert", "expert", 2),
                    Column::number("busiest rank", "rank", 2), Column::number("worst step", "rank_most", 2),
                    Column::percent("lasts", "lasting", 0), Column::percent("drifts", "drifting", 0),
                    Column::percent("chance", "chance", 0), Column::number("next step", "next_step", 2),
                    Column::number("other half", "other_half", 2)},
                   seen);
  for (const auto& [layer, u] : fitted.layers)
    table.add({std::int64_t{layer}, u.expert.median, u.rank.median, u.rank.most, u.lasting, u.drifting,
               u.chance, u.next_step, u.other_half});
}

Report log_report(const TrafficLog& log) {
  Report report;
  report.fact("kind", "traffic log").fact("file", log.file).fact("rows", whole(log.rows));
  report.fact("experts", std::int64_t{log.experts}).fact("top_k", std::int64_t{log.top_k});
  const std::string model = log.meta.model.empty() ? "" : fmt::format(" of {}", log.meta.model);
  if (log.tokens)
    report.say(fmt::format("{}: routing{}, {} rows (a token in a layer), top-{} of {} experts{}.\n", log.file,
                           model, log.rows, log.top_k, log.experts,
                           log.meta.experts == 0 ? ", as far as they were seen" : ""));
  else
    report.say(fmt::format("{}: counts{} by expert, {} lines, {} experts.\n", log.file, model, log.rows,
                           log.experts));
  if (log.tokens) add_left_out(log, report);
  const std::vector<std::uint32_t> missing = log.layers_missing();
  report.fact("layers", whole(log.layers.size())).fact("layers_missing", whole(missing.size()));
  report.say(fmt::format("Logged: layer {}.{}\n", ranges(layers_of(log)),
                         missing.empty() ? ""
                         : log.layers.size() == 1
                             ? fmt::format(" Not logged, and nothing is said of them: {}.", ranges(missing))
                             : fmt::format(" Not logged: {}.", ranges(missing))));
  return report;
}

}  // namespace a3sim
