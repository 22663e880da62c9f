#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/published/comparison.h"
#include "sim/published/fit/intervals.h"
#include "sim/published/overview.h"

namespace a3sim {

// A published table with its predictions, in every form.
struct PublishedPage {
  PublishedTable table;
  std::string heading;
  std::vector<Comparison> comparisons;
  Compared compared;  // without variants
  std::string text, markdown, csv;
  nlohmann::ordered_json points;
  // Its error bars were never computed, or they belong to other predictions.
  bool barless = false, stale = false;
};

struct PublishedPageOptions {
  bool predicts_variants = false, shows_variants = false;  // the text shows them
  PointsSink seen = {};                                    // takes points as they come
};

// Predicts a table, and compares it with what was published.
PublishedPage published_page(const PublishedTable& table, const Scenario& scenario,
                             const Intervals& intervals, const PublishedPageOptions& options);

// Returns a line for each table.
std::string overview_text(const std::vector<PublishedPage>& pages);
// Returns a page of at most 40 lines. `directory`: where all tables are written; empty: nowhere.
std::string brief_text(const std::vector<PublishedPage>& pages, const std::string& directory,
                       const Scenario& scenario);
// Returns the tables as an HTML page.
std::string published_html(const std::vector<PublishedPage>& pages, const Scenario& scenario);

}  // namespace a3sim
