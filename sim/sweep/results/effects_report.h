#pragma once

#include <string>

#include "sim/sweep/results/effects.h"
#include "traces/report/report.h"

namespace a3sim {

// Which axis changes a metric most, in words that the terminal and the page show.
struct AxesThatMatter {
  Effects effects;
  std::string none;  // why no axis can be named; empty if one is
  std::string text;  // may have several lines
};

AxesThatMatter axes_that_matter(const SweepResults& sweep, const std::string& pass,
                                const std::string& metric);

// Adds the same as a sentence and a table. The table is for programs, or for a page's readers.
void add_effects(const SweepResults& sweep, const std::string& pass, const std::string& metric,
                 Report& report, Audience tables = Audience::kPrograms);

}  // namespace a3sim
