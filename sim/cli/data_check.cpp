#include "sim/cli/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "scheduler/verify/verify.h"
#include "sim/check/data_matrix.h"
#include "sim/check/layer_check.h"
#include "sim/cli/run_progress.h"
#include "sim/cli/terminal.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/config/order_file.h"

namespace a3sim {
namespace {

Bytes memory_limit(const std::string& text) {
  if (text.empty()) return available_memory();
  const Parsed<std::int64_t> parsed = parse_quantity(text, QuantityKind::kBytes);
  if (!parsed.error.empty()) throw InputError("--memory: " + parsed.error);
  return {parsed.value};
}

double gigabytes(Bytes bytes) { return static_cast<double>(bytes.count) * 1e-9; }

void check_fits(const DataCase& data_case, bool full, const std::string& memory) {
  const Bytes needed = data_bytes(data_case), limit = memory_limit(memory);
  if (needed <= limit) return;
  throw InputError(
      fmt::format("{}: the tensors take about {:.3g} GB, and {:.3g} GB are {}{}", data_case.experiment.name,
                  gigabytes(needed), gigabytes(limit), memory.empty() ? "available" : "allowed",
                  full ? "; without --full, the same structure is checked at a small shape" : ""));
}

// Prints what a check is foreseen to take, if that is more than a moment. A product is computed by a task, and once more
// by plain loops.
void announce_data(const DataCase& data_case) {
  constexpr double kRate = 1.2e9;  // multiply-adds per second of both; ours: EP4 of 256 tokens, width 512
  const double products = data_products(data_case);
  announce({fmt::format("{} on real tensors, {:.3g} thousand million multiply-adds",
                        data_case.experiment.name, products * 1e-9),
            products / kRate, static_cast<double>(data_bytes(data_case).count)});
}

Adversary adversary_of(const std::string& text) {
  if (text.empty()) return {};
  if (text == "all") return {{}, true};
  const Parsed<std::int64_t> seed = parse_integer(text, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed.error.empty()) throw InputError("--adversary: a seed or 'all': " + seed.error);
  return {static_cast<std::uint64_t>(seed.value), false};
}

std::string configuration_of(const std::string& schedules) {
  const std::filesystem::path file = configuration_beside(schedules);
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file.string();
  throw InputError(fmt::format(
      "{}: --data needs the configuration that the schedules are of, as 'a3sim schedule compile' leaves it "
      "beside them: there is no {}",
      schedules, file.string()));
}

// Returns the faults, one line each, beginning with `whose`.
std::string faults_of(const DataFindings& findings, const std::string& whose) {
  std::string faults;
  for (const std::string& fault : findings.faults) faults += whose + fault + '\n';
  return faults;
}

void add(Checked& checked, DataFindings findings, const std::string& whose) {
  const std::string faults = faults_of(findings, whose);
  checked.add("cases", std::move(findings.report), faults);
}

// Throws unless the configuration has the pass of the schedules.
void check_has_pass(const Experiment& experiment, const std::string& name, const std::string& file) {
  if (std::ranges::find(experiment.passes, name, &Pass::name) != experiment.passes.end()) return;
  throw InputError(fmt::format("{} has no pass '{}', of which the schedules are", file, name));
}

void report_matrix(const std::vector<DataCase>& cases, std::uint64_t seed, const Adversary& held,
                   Checked& checked) {
  add(checked, check_matrix(cases, seed, held, std::max(1U, std::thread::hardware_concurrency())),
      cases.front().experiment.name + ", ");
}

void check_on_streams(const std::string& file, const DataCheckOptions& options,
                      const ScheduleOption& schedules, Checked& checked) {
  if (options.full || options.orders || options.executions || !options.drop_wait.empty() ||
      !schedules.order.empty()) {
    throw InputError(file + ": runs on streams, where --data goes with --seed and --adversary SEED alone");
  }
  const Adversary held = adversary_of(options.adversary);
  if (held.all) throw InputError("--adversary all: on streams, tasks are held up by a seed");
  add(checked, check_layer(LayerCheck(file, schedules.set, options.seed), held.seed), file + ": ");
}

// Checks compiled schedules instead of those of the configuration. Does not run unsound ones.
void check_compiled(const DataCheckOptions& options, const ScheduleOption& schedules, Checked& checked) {
  if (options.full || options.orders || options.executions || !schedules.order.empty()) {
    throw InputError(
        "compiled schedules are run as they are, at their shape: --data goes with --set, --seed, --memory, "
        "--adversary "
        "and --drop-wait alone");
  }
  const std::string file = configuration_of(schedules.arguments.front());
  std::string faults;
  std::map<std::string, Schedule> given;
  for (NamedSchedule& named : open_schedules(schedules.arguments)) {
    faults += faults_text(named.name, verify(named.schedule).errors);
    given.emplace(named.name, std::move(named.schedule));
  }
  if (!faults.empty()) return checked.add("cases", Report(), faults);
  DataCase data_case = compiled_case(file, schedules.set, options.seed);
  for (const auto& [name, schedule] : given) check_has_pass(data_case.experiment, name, file);
  check_fits(data_case, false, options.memory);
  announce_data(data_case);
  const std::string whose = data_case.experiment.name + ": ";
  const DataCheck check(std::move(data_case), options.seed, std::move(given));
  add(checked,
      options.drop_wait.empty() ? check_data(check, adversary_of(options.adversary))
                                : drop_wait(check, options.drop_wait),
      whose);
}

}  // namespace

void Checked::add(const std::string& key, Report part, const std::string& faults) {
  if (!json_.replaces_text()) std::cout << (any_ ? gap_ : "") << page_text(part.text());
  any_ = true;
  faults_ += faults;
  report_.part(key, std::move(part));
}

void Checked::end() {
  Table& table = report_.table("faults", {Column::data("fault")}, Audience::kPrograms);
  for (std::size_t begin = 0; begin < faults_.size(); begin = faults_.find('\n', begin) + 1)
    table.add({faults_.substr(begin, faults_.find('\n', begin) - begin)});
  report_.fact("sound", std::int64_t{faults_.empty()});
  if (json_.given || json_.csv) print_result("", report_.json(), json_);
  if (faults_.empty()) return;
  faults_.pop_back();
  throw RunError(faults_);
}

std::string faults_text(const std::string& name, const std::vector<std::string>& errors) {
  constexpr std::size_t kMostShown = 30;
  std::string faults;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostShown); ++i)
    faults += name + ": " + errors[i] + '\n';
  if (errors.size() > kMostShown)
    faults += fmt::format("{}: and {} more\n", name, errors.size() - kMostShown);
  return faults;
}

std::filesystem::path configuration_beside(const std::string& schedules) {
  const std::filesystem::path path(schedules);
  std::error_code error;
  return (std::filesystem::is_directory(path, error) ? path : path.parent_path()) / "resolved.yaml";
}

void DataCheckOptions::add_to(CLI::App& app) {
  CLI::Option* const flag = app.add_flag("--data", data,
                                         "run a configuration, or compiled schedules, with real tensors and "
                                         "compare with a plain reference");
  CLI::Option* const whole =
      app.add_flag("--full", full, "keep the configured shape instead of a small one of the same structure")
          ->needs(flag);
  app.add_option("--memory", memory, "memory that tensors may take (default: all that the machine has left)")
      ->type_name("SIZE")
      ->needs(flag);
  app.add_flag("--orders", orders, "under every shipped order instead of the configuration's")->needs(flag);
  CLI::Option* const ways = app.add_flag("--executions", executions,
                                         "a table of every way of running: static, dynamic and kernel by "
                                         "kernel, one-sided and collective; "
                                         "with --orders, of each under every shipped order")
                                ->needs(flag)
                                ->excludes(whole);
  app.add_option("--seed", seed, "seed of the tensors (default: 1)")->needs(flag);
  CLI::Option* const held =
      app.add_option(
             "--adversary", adversary,
             "also hold tasks up: every second one, drawn from a seed, or all of an operator, each in "
             "turn")
          ->type_name("SEED|all")
          ->needs(flag);
  app.add_option("--drop-wait", drop_wait,
                 "take away what a task waits for and hold up who writes what it reads: this must fail")
      ->type_name("OP[:INDEX]")
      ->needs(flag)
      ->excludes(held)
      ->excludes(ways);
}

void DataCheckOptions::check(const ScheduleOption& schedules, Checked& checked) const {
  if (schedules.are_schedules()) return check_compiled(*this, schedules, checked);
  if (schedules.arguments.size() != 1)
    throw InputError("--data takes one configuration, or compiled schedules");
  const std::string& file = schedules.arguments[0];
  if (load_experiment(file, schedules.set).work->why_no_programs().empty())
    return check_on_streams(file, *this, schedules, checked);
  std::vector<DataCase> cases = executions ? cases_of_all_ways(file, schedules.set, seed)
                                : full     ? std::vector<DataCase>{full_case(file, schedules.set, seed)}
                                           : small_cases(file, schedules.set, seed);
  for (const DataCase& data_case : cases) check_fits(data_case, full, memory);
  if (!schedules.order.empty()) {
    const OrderSpec order = read_order_file(schedules.order);
    for (DataCase& data_case : cases)
      data_case.experiment = with_order(std::move(data_case.experiment), order);
  }
  if (orders) cases = under_shipped_orders(cases);
  const Adversary held = adversary_of(adversary);
  if (executions) return report_matrix(cases, seed, held, checked);
  checked.set_apart();
  for (const DataCase& data_case : cases) {
    announce_data(data_case);
    const DataCheck check(data_case, seed);
    add(checked, drop_wait.empty() ? check_data(check, held) : a3sim::drop_wait(check, drop_wait),
        data_case.experiment.name + ": ");
  }
}

}  // namespace a3sim
