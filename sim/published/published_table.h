#pragma once

#include <any>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/published/reference.h"

namespace a3sim {

// A metric that a table reads from its runs.
struct PublishedMetric {
  std::string name, unit;         // sim/result/metrics: metric.h, metric_unit.h
  std::vector<std::string> more;  // further columns of its rows: names of runs.cpp
  std::string op = {};            // the operator it belongs to; empty: the pass
  std::string pass = {};          // the only pass that it is of; empty: all
  std::string quantity = {};      // the metric that is read, if `name` is what a source calls it
  bool variants = true;           // false: only for the default

  static std::string key_of(const std::string& name, const std::string& op) {
    return op.empty() ? name : name + " of " + op;
  }
  const std::string& read() const { return quantity.empty() ? name : quantity; }
  std::string key() const { return key_of(read(), op); }
};

// An experiment that is no row of its own.
struct PublishedRun {
  std::string experiment;
  std::vector<std::string> overrides;  // path.to.key=value
};

// One experiment that a table runs.
struct PublishedCase {
  nlohmann::ordered_json coordinates;      // without the pass
  std::vector<std::string> overrides;      // path.to.key=value
  nlohmann::ordered_json against;          // of the case that it is compared with; null: none
  std::string variant{};                   // empty: the default
  std::string experiment{};                // empty: the table's
  std::vector<PublishedMetric> metrics{};  // empty: the table's
  std::optional<PublishedRun> over{};      // what it is compared with, if that is no case of the table
};

// Other assumptions: each case that it applies to gets a further row.
struct PublishedVariant {
  std::string name;
  nlohmann::ordered_json when;         // only cases with these coordinates
  std::vector<std::string> overrides;  // path.to.key=value
};

// A measure of an experiment that is no metric of a run (measures.h).
struct PublishedKernel {
  nlohmann::ordered_json coordinates;
  std::string metric, unit;
  std::string measure;  // "step", or a name of measured_traffic.cpp
  std::string experiment;
  std::vector<std::string> overrides;                        // path.to.key=value
  std::map<std::string, std::int64_t, std::less<>> numbers;  // sizes
  std::vector<std::string> against{};                        // values of the step that a ratio divides by
};

// The published statement that one case is faster than another, on another machine.
struct PublishedDirection {
  std::string what, source;
  nlohmann::ordered_json faster, than;  // coordinates of the two cases whose latencies are compared
  double published = 1;                 // how many times faster
  std::string if_not;                   // why sign or rank differ here
};

// Values of a coordinate whose latencies are more or less than that of another value.
struct PublishedSigns {
  std::string key, reference;
  std::vector<std::string> values;  // those compared with the reference; empty: none
};

// By how many points of what a reference has a metric falls from each value of a coordinate to the next, as a mean over
// groups. It is read from the table's own cases.
struct PublishedGain {
  std::string metric, quantity;  // quantity: the metric that falls
  std::string key;               // the coordinate whose values are compared
  std::string over;              // the coordinate whose values are the groups
  nlohmann::ordered_json of;     // the reference's coordinates in a group
};

// A plot of one metric over coordinates, with a colour for each value of `series`.
struct PublishedFigure {
  std::string title, metric;
  std::vector<std::string> x;
  std::string series;            // may be empty
  bool lines = false;            // lines over numbers, else bars
  nlohmann::ordered_json where;  // only points with these coordinates
};

// configs/published/NAME.yaml: what is run, what is read from it, and what was published about it. The
// folder's README lists the keys.
struct PublishedTable {
  std::string name, description;
  std::string evaluation;         // sim/published/evaluation.h
  std::string heading, notes;     // above and below the printed table
  std::string lacks;              // a sentence: what the model lacks if the simplest formula is as good
  std::vector<std::string> with;  // tables that are shown after it if it is asked for by name
  bool from_profile = false;      // true: measured, not published
  std::string group;              // shared by tables that are shown together; may be empty
  bool is_long = false;           // true: its error bars use few draws
  nlohmann::ordered_json barred;  // coordinates of the cases that have error bars; null: all cases

  std::vector<PublishedVariant> variants;

  // For evaluations that run an experiment for each case.
  std::string experiment;            // configs/experiments/NAME.yaml
  bool timed_from_kernel = false;    // time starts with the kernel, not with its launch
  std::vector<std::string> columns;  // keys of the coordinates, in order; `pass` stands for each pass
  std::vector<PublishedCase> cases;  // with variants, in the order of their rows
  std::vector<PublishedMetric> metrics;

  std::vector<PublishedKernel> kernels;  // instead of cases: each names what is measured
  std::any block;                        // what its evaluation alone reads of the file
  PublishedSigns signs;
  std::optional<PublishedGain> gain;

  std::vector<Reference> references;
  std::vector<PublishedFigure> figures;
  nlohmann::ordered_json timelines;  // cases with these coordinates are drawn one below the other; null: none
  std::vector<PublishedDirection> directions;

  const std::string& experiment_of(const PublishedCase& one) const {
    return one.experiment.empty() ? experiment : one.experiment;
  }
};

// Returns the names of all tables in a folder of configurations, sorted.
std::vector<std::string> published_tables(const std::filesystem::path& configs);

// Replaces names of groups by their tables.
std::vector<std::string> with_groups(const std::filesystem::path& configs,
                                     const std::vector<std::string>& names);

// Throws InputError with all that is wrong in the file, or with the known names if there is no such file.
PublishedTable read_published_table(const std::filesystem::path& configs, const std::string& name);
// Reads the content of a file in the folder. Notes errors in the configuration's diagnostics.
PublishedTable read_published_table(const Config& root, const std::filesystem::path& folder,
                                    const std::string& name);

}  // namespace a3sim
