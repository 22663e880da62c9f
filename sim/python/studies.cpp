#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/compare/orders/order_comparison.h"
#include "sim/compare/runs/what_if.h"
#include "sim/core/error.h"
#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "sim/sweep/sweep.h"

namespace a3sim {
namespace {

namespace py = pybind11;

using TextAndJson = std::pair<std::string, std::string>;

TextAndJson told(const Report& report) { return {report.text(), report.json().dump()}; }

JitterOptions jitter_of(std::uint32_t runs, std::uint64_t seed) {
  JitterOptions jitter;
  jitter.runs = runs;
  jitter.seed = seed;
  return jitter;
}

// Compares orders as the command `try` does.
TextAndJson compare_orders(const Experiment& experiment, const std::filesystem::path& config,
                           const std::vector<std::string>& overrides, const OrderSpec& order,
                           std::uint32_t runs, std::uint64_t seed, bool conditions, unsigned threads) {
  return outside_python([&] {
    const JitterOptions jitter = jitter_of(runs, seed);
    const OrderComparison comparison =
        try_order(experiment, order, {jitter, conditions, threads, config, overrides});
    if (!comparison.findings.errors.empty())
      throw RunError(fmt::format("{}: {}", order.where, fmt::join(comparison.findings.errors, "\n")));
    return told(order_report(experiment, comparison, jitter));
  });
}

TextAndJson try_better_machines(const Experiment& experiment, std::uint32_t runs, std::uint64_t seed,
                                unsigned threads) {
  return outside_python([&] {
    const JitterOptions jitter = jitter_of(runs, seed);
    return told(what_if_report(experiment, what_if(experiment, jitter, threads), jitter));
  });
}

// Runs a sweep, and returns the numbers of points, of those known before and of those computed, and the
// failures. Forks, so the process must have no other threads.
py::tuple sweep(const std::filesystem::path& file, const std::filesystem::path& database, unsigned processes,
                bool retry_failed) {
  const SweepOutcome outcome = outside_python([&] {
    SweepOptions options;
    options.database = database;
    options.jobs = processes;
    options.retry_failed = retry_failed;
    return run_sweep(plan_sweep(read_sweep(file, {})), options);
  });
  std::vector<std::string> failures;
  for (const SweepOutcome::Failure& failure : outcome.failures)
    failures.push_back(fmt::format("{}: {}", failure.where, failure.error));
  return py::make_tuple(outcome.points, outcome.known, outcome.done, failures);
}

}  // namespace

void bind_studies(py::module_& module) {
  module.def("compare_orders", &compare_orders);
  module.def("what_if", &try_better_machines);
  module.def("sweep", &sweep);
}

}  // namespace a3sim
