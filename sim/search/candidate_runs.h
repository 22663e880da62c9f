#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/experiment/run/evaluate.h"
#include "sim/search/search_problem.h"
#include "sim/search/search_scenario.h"

namespace a3sim {

class SearchStore;

// The result of a candidate in one scenario.
struct CandidateOutcome {
  std::string refused;               // why it cannot run; then the rest is empty
  std::vector<Latencies> passes;     // by pass, then by draw
  std::uint32_t vector_workers = 0;  // the number that its schedules may use
  bool stopped = false;              // took longer than its limit; then `passes` is empty

  // Returns the sums over all passes, by draw.
  Latencies totals() const;
};

// An order that replaces a candidate's own. Orders of one candidate have different names.
struct NamedOrder {
  std::string name;
  OrderSpec order;
};

// Ends runs whose total is too long to be of interest, in a stage with one run per candidate.
struct StageLimit {
  Duration total = Duration::max();
  std::uint32_t vector_workers = 0;  // candidates with fewer vector workers run to their end
};

// Runs candidates; the same schedules on the same machine run only once. Results depend neither on the
// number of threads nor on what is in the store.
class CandidateRuns {
 public:
  // `problem` and `store`, unless null, must outlive this object.
  CandidateRuns(const SearchProblem& problem, unsigned threads, SearchStore* store)
      : problem_(problem), threads_(threads), store_(store) {}

  // Runs candidates in all scenarios of a stage. Returns one entry per candidate, then per scenario.
  std::vector<std::vector<CandidateOutcome>> run(std::span<const Candidate> candidates,
                                                 const SearchStage& stage, const StageLimit& limit = {});
  // Returns what tells the schedules of each candidate from others', and the machine that they run on: equal texts give
  // equal runs. They are those of the first stage that a candidate is not refused in; empty if all refuse it.
  std::vector<std::string> schedules_of(std::span<const Candidate> candidates,
                                        std::span<const SearchStage> stages);
  // Runs other orders in place of the candidate's own. Returns one entry per order, then per scenario.
  std::vector<std::vector<CandidateOutcome>> run_orders(const Candidate& candidate,
                                                        std::span<const NamedOrder> orders,
                                                        const SearchStage& stage,
                                                        const StageLimit& limit = {});
  // Runs starts as they are. Returns one entry per start, then per scenario. A run that takes longer than its scenario's limit
  // is ended early; without limits, none is.
  std::vector<std::vector<CandidateOutcome>> run_starts(std::span<const std::size_t> starts,
                                                        const SearchStage& stage,
                                                        std::span<const Duration> limits = {});
  std::vector<CandidateOutcome> run_start(std::size_t start, const SearchStage& stage) {
    return run_starts(std::span(&start, 1), stage).front();
  }

  // Returns the number of runs so far; a run is a pass in one draw.
  std::size_t runs() const;
  // Return the experiment of a candidate, or of a start, in a scenario. Throw InputError if it cannot be
  // made.
  Experiment experiment(const Candidate& candidate, const SearchScenario& scenario) const;
  Experiment start_experiment(std::size_t start, const SearchScenario& scenario) const;
  // Returns the first thing for which 'a3sim check' refuses a candidate's schedules; empty: they are sound.
  std::string why_unsound(const Candidate& candidate, const SearchScenario& scenario) const;
  // Returns what the public runtime's files cannot carry of a candidate's schedules; empty: they carry all.
  std::string why_no_runtime_files(const Candidate& candidate, const SearchScenario& scenario) const;

 private:
  // A candidate, or a start as it is if `candidate` is null.
  struct Job {
    const Candidate* candidate = nullptr;
    std::size_t start = 0;
    const SearchScenario* scenario = nullptr;
    StageLimit limit{};
    const NamedOrder* order = nullptr;  // replaces the candidate's order
  };
  // The machine and draws that a pass ran with, and the hash of its schedules.
  using RunKey = std::pair<std::string, std::uint64_t>;

  std::vector<CandidateOutcome> run_jobs(std::span<const Job> jobs);
  std::vector<std::string> settings_of(const Job& job) const;
  void read_bases(std::span<const Job> jobs);
  CandidateOutcome run_job(const Job& job);
  Experiment experiment_of(const Job& job, const Experiment& base) const;
  std::string schedules_of(const Job& job) const;
  // Returns what equal runs of a pass have in common.
  RunKey run_key(const PreparedWork& work, std::size_t pass, const Job& job) const;
  // Returns nullopt if a draw takes longer than the limit.
  std::optional<Latencies> run_pass(const Experiment& experiment, const PreparedWork& work, std::size_t pass,
                                    const Job& job, Duration limit);

  // A result that is recorded after the whole batch has run.
  struct ToRecord {
    std::string point;
    std::shared_ptr<const Experiment> experiment;
  };
  CandidateOutcome run_or_find(const Job& job, ToRecord& to_record);
  std::optional<CandidateOutcome> find(const Job& job, const ToRecord& of_job) const;
  void record(const Job& job, const ToRecord& to_record, const CandidateOutcome& outcome);

  struct Base {
    std::shared_ptr<const Experiment> experiment;
    std::string refused;
    std::size_t machine = 0;  // hash of all values but those that only compiling reads
  };
  const SearchProblem& problem_;
  unsigned threads_;
  SearchStore* store_;
  std::map<std::string, Base> bases_;  // one entry per settings
  std::map<RunKey, Latencies> ran_;
  std::mutex mutex_;  // guards ran_
};

}  // namespace a3sim
