#include <fmt/format.h>

#include <cmath>

#include "sim/study/explore/what_if.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"
#include "version.h"

namespace a3sim {
namespace {

using Outcome = WhatIf::Outcome;

// Without a sign before nothing.
std::string percent_text(double part) {
  const double hundredths = std::round(1e4 * part);
  return fmt::format("{:.2f} %", hundredths == 0 ? 0.0 : hundredths / 100);
}

bool changes_latency(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.total != result.now.total || (row.free && row.free->total != result.now.total);
}

bool changes_bound(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.bounds != result.now.bounds || (row.free && row.free->bounds != result.now.bounds);
}

std::string gains_table(const WhatIf& result) {
  Table table({"part of the machine", "10 % better ms", "gain", "free ms", "gain"});
  table.add({"as it is", in_milliseconds(result.now.total), "", "", ""});
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_latency(result, row)) continue;
    table.add({row.name, in_milliseconds(row.better.total), percent_text(result.gain(row.better)),
               row.free ? in_milliseconds(row.free->total) : "-",
               row.free ? percent_text(result.gain(*row.free)) : "-"});
  }
  return table.text();
}

// What no schedule can beat on the machine as it is, then on the better ones, where that differs.
std::string bounds_gains_table(const WhatIf& result) {
  std::vector<std::string> header{"lower bounds ms, 10 % better / free"};
  std::vector<std::string> now{"as it is"};
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    header.emplace_back(name_of(static_cast<Bound>(b)));
    now.push_back(in_milliseconds(result.now.bounds[b]));
  }
  Table table(header);
  table.add_words(now);
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_bound(result, row)) continue;
    std::vector<std::string> cells{row.name};
    for (std::uint32_t b = 0; b < kBounds; ++b) {
      const Duration as_is = result.now.bounds[b], better = row.better.bounds[b];
      const Duration free = row.free ? row.free->bounds[b] : better;
      const std::string last = row.free ? in_milliseconds(free) : "-";
      cells.push_back(
          better == as_is && free == as_is ? "." : fmt::format("{} / {}", in_milliseconds(better), last));
    }
    table.add_words(cells);
  }
  return table.text();
}

std::string notes(const WhatIf& result) {
  std::string unchanged;
  bool slower = false;
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_latency(result, row)) unchanged += (unchanged.empty() ? "" : "; ") + row.name;
    slower |= row.better.total > result.now.total || (row.free && row.free->total > result.now.total);
  }
  std::string text;
  if (!unchanged.empty()) text += "Changes nothing here: " + unchanged + ".\n";
  if (slower) {
    text +=
        "A negative gain is no mistake: with other times tasks meet others in the L2 and on the links, and "
        "what is\n"
        "faster alone may come out slower together.\n";
  }
  return text;
}

// One sentence that names what binds: of the parts that stand for themselves, the one of which 10 % gain
// most.
std::string what_binds(const WhatIf& result) {
  const WhatIf::Row *first = nullptr, *second = nullptr;
  for (const WhatIf::Row& row : result.rows) {
    if (row.part->kind != MachinePart::Kind::kSingle) continue;
    if (first) second = second ? second : &row;
    first = first ? first : &row;
  }
  constexpr double kLittle = 0.001;
  const double most = result.gain(first->better);
  if (most < kLittle) {
    return fmt::format("No single part binds: 10 % more of any gains less than {} of {} ms.\n",
                       percent_text(kLittle), in_milliseconds(result.now.total));
  }
  return fmt::format("What binds is {}: 10 % better, it gains {} of {} ms, and free {}; next with {}: {}.\n",
                     first->name, percent_text(most), in_milliseconds(result.now.total),
                     percent_text(result.gain(*first->free)), second->name,
                     percent_text(result.gain(second->better)), second->name);
}

nlohmann::ordered_json outcome_json(const Experiment& experiment, const Outcome& outcome) {
  nlohmann::ordered_json json{{"total_ps", outcome.total.count()}};
  for (std::size_t p = 0; p < outcome.passes.size(); ++p)
    json["passes_ps"][experiment.passes[p].name] = outcome.passes[p].count();
  for (std::uint32_t b = 0; b < kBounds; ++b)
    json["bounds_ps"][std::string(name_of(static_cast<Bound>(b)))] = outcome.bounds[b].count();
  return json;
}

}  // namespace

std::string what_if_text(const Experiment& experiment, const WhatIf& result) {
  return fmt::format(
             "{} (a3sim {}), {} execution, order {}: what a better machine would gain, one part at a "
             "time\n\n",
             experiment.name, kVersion, experiment.run.execution, experiment.order.name) +
         gains_table(result) + '\n' + bounds_gains_table(result) + '\n' + notes(result) + what_binds(result);
}

nlohmann::ordered_json what_if_json(const Experiment& experiment, const WhatIf& result) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"a3sim", kVersion},
                              {"name", experiment.name},
                              {"hardware", experiment.hardware.name},
                              {"now", outcome_json(experiment, result.now)}};
  for (const WhatIf::Row& row : result.rows) {
    nlohmann::ordered_json item{{"part", row.part->name}, {"row", row.name}};
    for (const std::string_view value : row.part->values) item["values"].push_back(value);
    item["gain_10_percent"] = result.gain(row.better);
    item["better"] = outcome_json(experiment, row.better);
    if (row.free) {
      item["gain_free"] = result.gain(*row.free);
      item["free"] = outcome_json(experiment, *row.free);
    }
    json["parts"].push_back(std::move(item));
  }
  json["binds"] = what_binds(result);
  return json;
}

}  // namespace a3sim
