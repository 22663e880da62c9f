#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/study/published/reference.h"

namespace a3sim {

// One experiment that a table runs.
struct PublishedCase {
  nlohmann::ordered_json coordinates;  // without the pass
  std::vector<std::string> overrides;  // path.to.key=value
  nlohmann::ordered_json against;      // coordinates of the case that it is compared with; null: none
  std::string variant{};               // empty: the default
};

// Other assumptions than the cases': a row below each of those that it is of.
struct PublishedVariant {
  std::string name;
  nlohmann::ordered_json when;         // of cases with these coordinates only
  std::vector<std::string> overrides;  // path.to.key=value
  std::vector<std::string> methods{};  // of the evaluation `batches`
};

// A kernel, a copy or an exchange that `single kernels` measures on the machine of an experiment, or `layer kernels`.
struct PublishedKernel {
  nlohmann::ordered_json coordinates;
  std::string metric, unit;
  std::string measure;  // what: a name of single_kernels.cpp, or a LayerKernel
  std::string experiment;
  std::vector<std::string> overrides;                        // path.to.key=value
  std::map<std::string, std::int64_t, std::less<>> numbers;  // sizes
  std::vector<std::string> against{};  // of `steps`: values of the step that a ratio is over
};

// Groups that run micro-batches by several methods: of the evaluation `batches`.
struct PublishedBatches {
  std::vector<std::string> experiments;                    // a group each; phases are of the last
  std::string reference;                                   // the method that others are compared with
  std::vector<std::string> methods;                        // that run
  std::vector<std::string> latencies, stragglers, phases;  // methods that these are told of
  std::vector<std::string> signs;   // methods that are faster than the reference, or slower
  std::vector<std::uint32_t> dyns;  // numbers of dynamic experts
  std::string varied;               // the experiment of the table's variants,
  std::uint32_t variant_seeds = 1;  // and how many of its seeds they run
};

// The stages of a kernel on one rank: of the evaluation `timeline`.
struct PublishedTimeline {
  struct Stage {
    std::string name;
    std::vector<std::string> operators;  // names, or patterns of names
    std::string by;  // what else its tasks are told apart by: expert, segment; may be empty
  };
  std::uint32_t rank = 0;
  nlohmann::ordered_json coordinates;  // of all points
  std::vector<std::string> overrides;  // path.to.key=value
  std::vector<Stage> stages;
  std::vector<std::pair<std::string, std::string>> overlaps;  // a stage, and the one beside it
};

// One time over another: of the evaluation `ratios`.
struct PublishedRatio {
  struct Part {
    std::string metric;      // its own; empty: it is no point
    std::string experiment;  // configs/experiments/NAME.yaml
    std::vector<std::string> overrides;
  };
  std::string metric;  // of the ratio
  Part numerator, denominator;
};

// A tuner that chooses how a program works, of the evaluation `tuned`.
struct PublishedTuner {
  struct Value {
    std::string name;
    std::vector<std::string> overrides;  // path.to.key=value
  };
  struct Axis {
    std::string name;
    std::vector<Value> values;  // the default first
  };
  // What is timed, of which the tuner looks at the first.
  struct Part {
    std::string metric, unit;
    std::vector<std::string> overrides;
  };
  std::vector<Axis> axes;
  std::vector<Part> parts;
};

// Which of two cases is the faster one, as somebody has published of another machine.
struct PublishedDirection {
  std::string what, source;
  nlohmann::ordered_json faster, than;  // coordinates; their latencies are compared
  double published = 1;                 // how many times faster
  std::string if_not;                   // why sign or place differ here, where they do
};

struct PublishedMetric {
  std::string name, unit;         // sim/study/metrics: metric.h, metric_unit.h
  std::vector<std::string> more;  // further columns of its rows: names of runs.cpp
  std::string op = {};            // the operator whose metric it is; empty: the pass's

  static std::string key_of(const std::string& name, const std::string& op) {
    return op.empty() ? name : name + " of " + op;
  }
  std::string key() const { return key_of(name, op); }
};

// How one of the metrics is drawn: over coordinates, a colour for each value of another.
struct PublishedFigure {
  std::string title, metric;
  std::vector<std::string> x;
  std::string series;            // may be empty
  bool lines = false;            // over numbers, else bars
  nlohmann::ordered_json where;  // of points with these coordinates only
};

// configs/published/NAME.yaml: what is run, what is read from it, and what was published about it. The
// folder's README says what may stand there.
struct PublishedTable {
  std::string name, description;
  std::string evaluation;         // sim/study/published/evaluation.h
  std::string heading, notes;     // above and below the printed table
  std::string lacks;              // what the model lacks where the simplest formula is as good, in a sentence
  std::vector<std::string> with;  // tables that are shown behind it where it is asked for by name
  bool from_profile = false;      // and not from a file of published values
  std::string group;              // a name under which it is shown with other tables; may be empty
  bool is_long = false;           // its error bars must do with few draws

  std::vector<PublishedVariant> variants;

  // Of evaluations that run an experiment for each case: `runs`, `replayed`, `tuned`.
  std::string experiment;            // configs/experiments/NAME.yaml
  bool timed_from_kernel = false;    // not from its launch
  std::vector<std::string> columns;  // the coordinates' keys, in order; `pass` stands for each pass
  std::uint32_t draws = 1;           // of `replayed`: routings of each case
  std::vector<PublishedCase> cases;  // variants among them, in the order of their rows
  std::vector<PublishedMetric> metrics;

  std::vector<PublishedKernel> kernels;  // of `single kernels` and `steps`
  PublishedBatches batches;
  PublishedTimeline timeline;
  PublishedRatio ratio;
  PublishedTuner tuner;

  std::vector<Reference> references;
  std::vector<PublishedFigure> figures;
  std::vector<PublishedDirection> directions;
};

// The tables of a folder of configurations by name, sorted.
std::vector<std::string> published_tables(const std::filesystem::path& configs);

// The names with those of groups replaced by their tables.
std::vector<std::string> with_groups(const std::filesystem::path& configs,
                                     const std::vector<std::string>& names);

// Throws InputError with all that is wrong with the file, or with the known names where there is none.
PublishedTable read_published_table(const std::filesystem::path& configs, const std::string& name);
// What a file in the folder says; what is wrong is noted.
PublishedTable read_published_table(const Config& root, const std::filesystem::path& folder,
                                    const std::string& name);

}  // namespace a3sim
