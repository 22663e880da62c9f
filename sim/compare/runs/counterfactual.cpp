#include "sim/compare/runs/counterfactual.h"

#include <algorithm>
#include <map>

#include "sim/core/error.h"

namespace a3sim {
namespace {

using Rates = std::map<std::string, L2Rates>;

// True if A's rates differ from B's and can be used for B.
bool rates_differ(const Rates& a, const Rates& b) {
  const bool all =
      std::all_of(b.begin(), b.end(), [&](const auto& entry) { return a.contains(entry.first); });
  return all && std::any_of(b.begin(), b.end(),
                            [&](const auto& entry) { return a.at(entry.first) != entry.second; });
}

Variation with_rates(std::string name, const Rates& rates) {
  return {std::move(name), {}, [rates](const Experiment& base) {
            Experiment other = base;
            other.amend([rates](Experiment& experiment) {
              experiment.run.l2.rates = rates;
              experiment.run.l2.start = L2Start::kCold;  // there is nothing to find
            });
            return other;
          }};
}

// The variations of B: A itself, B with parts of A's configuration, and B with hit rates of both where they differ.
struct PartsQuestion {
  Counterfactuals answer;
  std::vector<Variation> variations;
  bool rates = false;

  const Counterfactuals& answered(const DifferenceTable& table) {
    answer.b = table.base.totals;
    answer.a = table.rows.front().outcome.totals;
    for (std::size_t p = 0; p < answer.parts.size(); ++p) {
      answer.parts[p].totals = table.rows[1 + p].outcome.totals;
      answer.parts[p].error = table.rows[1 + p].refused;
    }
    return answer;
  }
};

PartsQuestion question_of(const RunToCompare& a, const RunToCompare& b) {
  PartsQuestion question;
  question.variations.push_back(
      {"all of it (A)", {}, [of_a = load_experiment(a.configuration, {})](const Experiment&) {
         return of_a;
       }});
  for (DifferentPart& part : different_parts(a.configuration, b.configuration)) {
    if (part.part == config_parts().size()) {
      question.answer.elsewhere = std::move(part.differences);
      continue;
    }
    question.variations.push_back(part_taken(a.configuration, b.configuration, part));
    question.answer.parts.push_back({config_parts()[part.part].name, std::move(part.differences), {}, {}});
  }
  question.rates = rates_differ(a.rates, b.rates);
  if (question.rates) {
    question.variations.push_back(with_rates("L2 hit rates of A", a.rates));
    question.variations.push_back(with_rates("L2 hit rates of B", b.rates));
  }
  return question;
}

}  // namespace

Counterfactuals run_counterfactuals(const RunToCompare& a, const RunToCompare& b,
                                    const std::vector<std::string>& passes, const JitterOptions& jitter,
                                    unsigned threads,
                                    const std::function<void(const Counterfactuals&)>& seen) {
  PartsQuestion question = question_of(a, b);
  DifferenceOptions how{.jitter = jitter, .threads = threads, .hold = false, .passes = passes};
  if (seen) how.seen = [&](const DifferenceTable& so_far, std::uint32_t) { seen(question.answered(so_far)); };
  const DifferenceTable table =
      differences({load_experiment(b.configuration, {}), nullptr}, question.variations, how);
  question.answered(table);
  const std::size_t parts = question.answer.parts.size();
  for (std::size_t v = 0; v < table.rows.size(); ++v) {
    const bool is_part = v > 0 && v <= parts;
    if (!is_part && !table.rows[v].refused.empty()) throw RunError(table.rows[v].refused);
  }
  if (question.rates)
    question.answer.hit_rates =
        difference_between(table.rows[parts + 1].outcome.totals, table.rows[parts + 2].outcome.totals);
  return question.answer;
}

}  // namespace a3sim
