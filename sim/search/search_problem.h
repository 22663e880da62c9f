#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/experiment.h"
#include "sim/search/candidate.h"
#include "sim/search/space.h"

namespace a3sim {

// An order to start from. The configuration's own order is first, then the shipped ones.
struct SearchStart {
  std::string name;
  OrderSpec order;
  std::vector<std::pair<std::string, std::string>> rest;  // all entries but name and keys: key, YAML
  std::string file;                                       // file to which its paths are relative
  bool sorted = false;                                    // by keys only: candidates may take parts of it
};

// Returns why the experiment has nothing that the space's sort keys sort; empty if it has, or if the space has none.
std::string why_not_searched(const Experiment& experiment, const SearchSpace& space);

// A space laid over an experiment. If the experiment has several passes with operators of their own names,
// each pass is a part with its own sort keys; otherwise all passes are one part.
class SearchProblem {
 public:
  // Starts from the configuration's own order and, unless `own_alone`, from the shipped ones. Work without schedules has
  // no orders: only its settings are searched, and a space with sort keys is refused (InputError).
  SearchProblem(Experiment experiment, SearchSpace space, bool own_alone = false);

  const Experiment& experiment() const { return experiment_; }
  const SearchSpace& space() const { return space_; }
  const std::vector<SearchStart>& starts() const { return starts_; }
  const std::vector<std::string>& parts() const { return parts_; }
  // Return the queue of a part's unit, and whether it has tasks and terms to sort them by.
  std::size_t queue(std::size_t part, std::size_t unit) const { return part * kCoreUnits + unit; }
  bool is_open(std::size_t queue) const { return open_[queue]; }
  // Returns "forward ctq", or "ctq" if there is one part.
  std::string queue_name(std::size_t queue) const;
  // True if the work has schedules, which orders change.
  bool orders() const { return orders_; }
  // True if there are no choices to make.
  bool empty() const;

  // Returns a start as a candidate, with terms if these say the same. The start must be sorted.
  Candidate from_start(std::size_t start) const;
  // Returns the candidate with the choices of a seed.
  Candidate seeded(Candidate candidate, const SearchSeed& seed) const;
  // Returns the sort keys of a queue, most significant first.
  std::vector<std::string> keys(const Candidate& candidate, std::size_t queue) const;
  // Return the block `order` as YAML, its value on one line, and the order itself. Throw InputError if
  // values do not fit together. With `lists`, the name of a file beside the one with the block, lists
  // replace the keys.
  std::string order_text(const Candidate& candidate, const std::string& lists = {}) const;
  std::string order_line(const Candidate& candidate) const;
  OrderSpec order(const Candidate& candidate) const;
  // Returns the candidate's settings outside the block `order`.
  std::vector<std::string> settings(const Candidate& candidate) const;

 private:
  void find_parts();
  void add_start(std::string name, OrderSpec order, const Config& block, std::string file);
  QueueGenes genes_of(std::size_t start, std::size_t queue) const;
  std::string part_condition(std::size_t part, std::size_t unit) const;
  std::vector<std::string> plan_keys(const Candidate& candidate, std::size_t unit) const;
  std::vector<std::string> chosen(const Candidate& candidate, bool of_order) const;
  Config order_config(const Candidate& candidate, Diagnostics& diagnostics,
                      const std::string& lists = {}) const;

  Experiment experiment_;
  SearchSpace space_;
  std::vector<SearchStart> starts_;
  std::vector<std::string> parts_;
  std::vector<std::vector<std::size_t>> passes_of_part_;
  std::vector<bool> open_;  // one entry per queue
  bool orders_ = true;
};

}  // namespace a3sim
