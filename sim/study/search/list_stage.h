#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/search/search.h"

namespace a3sim {

// A move that made the order faster.
struct ListMove {
  std::string text;  // "GMM1 of expert 3, 12 tasks: 24 places earlier in ctq of forward on every rank"
  double gain = 0;   // of the score
};

// What moving tasks came to.
struct ListFindings {
  std::string why_not;  // why no task was moved, or why lists do not stand in place of the keys
  std::uint32_t tried = 0, not_faster = 0;
  double before = 0, after = 0;  // scores in the last stage of the ladder
  std::vector<ListMove> kept;
  OrderSpec order;   // the winner's, with lists in place of keys
  std::string csv;   // the lists as a file (order_csv.h)
  std::string file;  // where they were written: beside the order; empty: nowhere

  bool gained() const { return !csv.empty(); }
};

// Turns the winner's queues into lists and moves runs of tasks in them where the critical path waits: an expert's tasks of
// an operator, puts of an expert to a destination, a slice of an operator without experts. On the path, what a worker was
// late for goes forward, and what waited for its event goes back; by a run's length, its double and so on, or right behind what
// it reads in its queue; on every rank or on that one. Emission repairs what would be no legal order. A list holds for the tasks of one routing and cut, so it is
// made for the objective `one` alone. The result does not depend on the number of threads.
ListFindings move_tasks(const SearchProblem& problem, const SearchOptions& options,
                        const SearchOutcome& outcome, CandidateRuns& runs);

}  // namespace a3sim
