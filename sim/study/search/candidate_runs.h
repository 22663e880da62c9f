#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/experiment/evaluate.h"
#include "sim/study/search/search_problem.h"
#include "sim/study/search/search_scenario.h"

namespace a3sim {

class SearchStore;

// What a candidate came to in one scenario.
struct CandidateOutcome {
  std::string refused;               // why it cannot run there; then there is nothing else
  std::vector<Latencies> passes;     // by pass, by draw
  std::uint32_t vector_workers = 0;  // that its schedules may use
  bool stopped = false;              // it takes more than its limit; then there are no passes

  // Of all passes, by draw.
  Latencies totals() const;
};

// From what total on a candidate is of no interest, where a stage is one run of each: runs end there.
struct StageLimit {
  Duration total = Duration::max();
  std::uint32_t vector_workers = 0;  // those with fewer run to their end
};

// Runs candidates, and none of their passes twice. Results do not depend on the number of threads, nor on what a store
// knows already.
class CandidateRuns {
 public:
  // `problem` and, where there is one, `store` must outlive it.
  CandidateRuns(const SearchProblem& problem, unsigned threads, SearchStore* store)
      : problem_(problem), threads_(threads), store_(store) {}

  // By candidate, by scenario of the stage.
  std::vector<std::vector<CandidateOutcome>> run(std::span<const Candidate> candidates,
                                                 const SearchStage& stage, const StageLimit& limit = {});
  // The same of orders in place of the candidate's own, which are not kept in a store; by order, by scenario.
  std::vector<std::vector<CandidateOutcome>> run_orders(const Candidate& candidate,
                                                        std::span<const OrderSpec> orders,
                                                        const SearchStage& stage,
                                                        const StageLimit& limit = {});
  // The same of a start as it is.
  std::vector<CandidateOutcome> run_start(std::size_t start, const SearchStage& stage);

  // Runs of a pass in a draw until now.
  std::size_t runs() const;
  // The experiment of a candidate, or of a start, in a scenario. Throws InputError where there is none.
  Experiment experiment(const Candidate& candidate, const SearchScenario& scenario) const;
  Experiment start_experiment(std::size_t start, const SearchScenario& scenario) const;

 private:
  // A candidate, or a start as it is.
  struct Job {
    const Candidate* candidate = nullptr;
    std::size_t start = 0;
    const SearchScenario* scenario = nullptr;
    StageLimit limit{};
    const OrderSpec* order = nullptr;  // in place of the candidate's
  };
  // A pass that has run: what it ran on and its schedules, as a hash.
  using RunKey = std::pair<std::string, std::uint64_t>;

  std::vector<CandidateOutcome> run_jobs(std::span<const Job> jobs);
  std::vector<std::string> settings_of(const Job& job) const;
  void read_bases(std::span<const Job> jobs);
  CandidateOutcome run_job(const Job& job);
  Experiment experiment_of(const Job& job, const Experiment& base) const;
  // Nothing where a draw takes longer than the limit.
  std::optional<Latencies> run_pass(const Experiment& experiment, const PreparedWork& work, std::size_t pass,
                                    const Job& job, Duration limit);

  // What is to be recorded once a batch has run.
  struct ToRecord {
    std::string point;
    std::shared_ptr<const Experiment> experiment;
  };
  CandidateOutcome run_or_find(const Job& job, ToRecord& to_record);

  struct Base {
    std::shared_ptr<const Experiment> experiment;
    std::string refused;
  };
  const SearchProblem& problem_;
  unsigned threads_;
  SearchStore* store_;
  std::map<std::string, Base> bases_;  // by settings
  std::map<RunKey, Latencies> ran_;
  std::mutex mutex_;  // of ran_
};

}  // namespace a3sim
