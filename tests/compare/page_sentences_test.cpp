#include <catch2/catch.hpp>

#include "sim/compare/orders/order_comparison.h"
#include "sim/compare/runs/compare_runs.h"
#include "sim/diagnosis/jobs/monitor.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/pages/job_page.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/rule.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "tests/compare/sentences.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"

// Sentences of pages and reports against the tables below them: of jobs, of tried orders, and of two runs.
using namespace a3sim;

namespace {

void write_job(const std::filesystem::path& folder) {
  const JobSpec spec =
      load_job(configs_folder() / "experiments" / "ep4.yaml",
               {"model.tokens=256", "experiment.pass=forward", "noise={durations: 2 %, rates: 1 %, seed: 7}",
                "faults=[{kind: port, ranks: [1], side: egress, factor: 0.3, steps: [6, 9]}]"},
               {});
  MonitorOptions how;
  how.steps = 10;
  how.limits = read_locate_limits(configs_folder() / kLocateFile);
  monitor(spec, how, [&](std::string_view name, std::string_view contents) {
    std::filesystem::create_directories((folder / name).parent_path());
    write(folder / name, std::string(contents));
  });
}

}  // namespace

TEST_CASE("every sentence of a job's page says what its cards and findings say") {
  const TemporaryFolder folder;
  write_job(folder.path());
  const FileObservation job(folder.path());
  const Advice advice = advise(job, read_rules(configs_folder() / "advice"));
  Page page("job", "");
  add_job(page, job, advice, "job");
  check_sentences(page_json(page.html("")));
}

TEST_CASE("every sentence of a tried order says what its tables say") {
  const Experiment experiment = small();
  for (const char* const name : {"ratr", "interleaved_tiles"}) {
    for (const JitterOptions& jitter : {JitterOptions::none(), JitterOptions{}}) {
      const OrderSpec order = read_order_file(configs_folder() / "orders" / (std::string(name) + ".yaml"));
      const OrderComparison comparison = try_order(experiment, order, {jitter, true, 2});
      INFO(name);
      check_sentences(PageBlocks().report(order_report(experiment, comparison, jitter)).json);
    }
  }
}

TEST_CASE("every sentence of a comparison of two runs says what its tables say") {
  const TemporaryFolder folder;
  save(small(), folder.path() / "a");
  save(small({"experiment.execution=kernel"}), folder.path() / "b");
  for (const std::uint32_t runs : {0U, 6U}) {
    JitterOptions jitter;
    jitter.runs = runs;
    const Report report = compare_runs(folder.path() / "a", folder.path() / "b", {"", jitter, 2, {}});
    check_sentences(PageBlocks().report(report).json);
  }
}
