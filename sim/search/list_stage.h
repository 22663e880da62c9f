#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/search/candidate_runs.h"
#include "sim/search/search.h"

namespace a3sim {

// A move of tasks that made the order faster.
struct ListMove {
  std::string text;  // "GMM1 of expert 3, 12 tasks: 24 places earlier in ctq of forward on every rank"
  double gain = 0;   // gain of the score
};

// The result of moving tasks.
struct ListFindings {
  std::string why_not;  // why no task was moved, or why the lists do not replace the keys
  std::uint32_t tried = 0, not_faster = 0;
  double before = 0, after = 0;  // scores in the last stage of the ladder
  std::vector<ListMove> kept;
  NamedOrder listed;  // the winner's order, with lists instead of keys
  std::string csv;    // the lists as a file (order_csv.h)
  std::string file;   // beside the order; empty: not written

  bool gained() const { return !csv.empty(); }
};

// Turns the winner's queues into lists and moves runs of tasks where the critical path waits. A run is an
// operator's tasks of one expert, an expert's puts to one destination, or a slice of an operator without
// experts. A run that came late moves forward; one that waited for its event moves back. It moves by its
// length, twice that and so on, or right behind the tasks that it reads, on all ranks or on one. Emission
// repairs illegal orders. Lists hold for one routing and cut only, so the objective must be `one`. The
// result does not depend on the number of threads.
ListFindings move_tasks(const SearchProblem& problem, const SearchOptions& options,
                        const SearchOutcome& outcome, CandidateRuns& runs);

}  // namespace a3sim
