#include "sim/search/moves.h"

#include <algorithm>
#include <utility>

namespace a3sim {
namespace {

std::uint32_t below(Rng& rng, std::size_t count) { return rng.below(static_cast<std::uint32_t>(count)); }

const std::vector<KeyTerm>& terms_of(const SearchProblem& problem, std::size_t queue) {
  return problem.space().terms[queue % kCoreUnits];
}

// Returns whether changes of `part` concern what belongs to the part `of`, which is the number of parts for what belongs to none.
bool concerns(const SearchProblem& problem, std::size_t part, std::size_t of) {
  return part == kAllParts || part == of || (part == kNoPart && of == problem.parts().size());
}

std::vector<std::size_t> open_queues(const SearchProblem& problem, std::size_t part = kAllParts) {
  std::vector<std::size_t> open;
  for (std::size_t q = 0; q < problem.parts().size() * kCoreUnits; ++q) {
    if (problem.is_open(q) && concerns(problem, part, q / kCoreUnits)) open.push_back(q);
  }
  return open;
}

std::size_t sorted_start(const SearchProblem& problem, Rng& rng) {
  std::vector<std::size_t> sorted;
  for (std::size_t s = 0; s < problem.starts().size(); ++s) {
    if (problem.starts()[s].sorted) sorted.push_back(s);
  }
  return sorted.empty() ? 0 : sorted[below(rng, sorted.size())];
}

void draw_sequence(QueueGenes& genes, Rng& rng) {
  for (std::size_t i = genes.sequence.size(); i > 1; --i)
    std::swap(genes.sequence[i - 1], genes.sequence[below(rng, i)]);
}

void draw_pick(const SearchProblem& problem, std::size_t queue, QueueGenes& genes, Rng& rng) {
  const std::vector<KeyTerm>& terms = terms_of(problem, queue);
  const std::uint32_t term = below(rng, terms.size());
  genes.picks[term] = static_cast<std::uint8_t>(below(rng, terms[term].keys.size()));
}

// Moves a term in the sequence, more often to the front, where it matters.
void move_term(QueueGenes& genes, Rng& rng) {
  const std::size_t size = genes.sequence.size();
  const std::size_t from = below(rng, size), to = std::min(below(rng, size), below(rng, size));
  const std::uint8_t term = genes.sequence[from];
  genes.sequence.erase(genes.sequence.begin() + static_cast<std::ptrdiff_t>(from));
  genes.sequence.insert(genes.sequence.begin() + static_cast<std::ptrdiff_t>(to), term);
}

void mutate_queue(const SearchProblem& problem, std::size_t queue, QueueGenes& genes, Rng& rng) {
  const double draw = rng.uniform();
  constexpr double kOtherStart = 0.1, kMove = 0.55;
  if (draw < kOtherStart) {
    genes = problem.from_start(sorted_start(problem, rng)).queues[queue];
    return;
  }
  if (genes.keys_of > 0) {  // from the terms of a start that has terms, if there is one
    const QueueGenes other = problem.from_start(sorted_start(problem, rng)).queues[queue];
    if (other.keys_of == 0) {
      genes = other;
    } else {
      genes.keys_of = 0;
      draw_sequence(genes, rng);
    }
  }
  if (draw < kMove) return move_term(genes, rng);
  draw_pick(problem, queue, genes, rng);
}

// Makes a term with this key stand at a place of the sequence.
void put_term(QueueGenes& genes, std::size_t term, std::size_t key, std::size_t place) {
  std::erase(genes.sequence, static_cast<std::uint8_t>(term));
  genes.sequence.insert(
      genes.sequence.begin() + static_cast<std::ptrdiff_t>(std::min(place, genes.sequence.size())),
      static_cast<std::uint8_t>(term));
  genes.picks[term] = static_cast<std::uint8_t>(key);
}

// Both queues of a part sort by the same key at the same place: one that brings rows in another order than the other one
// takes them is slower for it, so that neither gains alone.
void mutate_both_queues(const SearchProblem& problem, Candidate& candidate, std::size_t of, Rng& rng) {
  const std::size_t part = of == kAllParts ? below(rng, problem.parts().size()) : of;
  const std::size_t a = problem.queue(part, 0), b = problem.queue(part, 1);
  const std::vector<KeyTerm>&terms_a = terms_of(problem, a), &terms_b = terms_of(problem, b);
  if (!problem.is_open(a) || !problem.is_open(b)) return;
  const std::size_t term_a = below(rng, terms_a.size());
  const std::size_t key_a = below(rng, terms_a[term_a].keys.size());
  const std::size_t place = std::min(below(rng, terms_a.size()), below(rng, terms_a.size()));
  const auto term_b = std::ranges::find(terms_b, terms_a[term_a].name, &KeyTerm::name);
  if (term_b == terms_b.end()) return;
  const auto key_b = std::ranges::find(term_b->keys, terms_a[term_a].keys[key_a]);
  if (key_b == term_b->keys.end() || candidate.queues[a].keys_of > 0 || candidate.queues[b].keys_of > 0)
    return;
  put_term(candidate.queues[a], term_a, key_a, place);
  put_term(candidate.queues[b], static_cast<std::size_t>(term_b - terms_b.begin()),
           static_cast<std::size_t>(key_b - term_b->keys.begin()), place);
}

void mutate_setting(const SearchProblem& problem, Candidate& candidate, std::size_t part, Rng& rng) {
  std::vector<std::size_t> open;
  for (std::size_t d = 0; d < candidate.settings.size(); ++d) {
    const SearchDecision& decision = problem.space().decisions[d];
    const auto of = std::ranges::find(problem.parts(), decision.pass) - problem.parts().begin();
    if (decision.values.size() > 1 && concerns(problem, part, static_cast<std::size_t>(of)))
      open.push_back(d);
  }
  if (open.empty()) return;
  const std::size_t d = open[below(rng, open.size())];
  const std::size_t values = problem.space().decisions[d].values.size();
  candidate.settings[d] = static_cast<std::uint8_t>(below(rng, values));
}

}  // namespace

Candidate random_candidate(const SearchProblem& problem, Rng& rng) {
  Candidate candidate = problem.from_start(sorted_start(problem, rng));
  for (const std::size_t queue : open_queues(problem)) {
    QueueGenes& genes = candidate.queues[queue];
    genes.keys_of = 0;
    draw_sequence(genes, rng);
    const std::vector<KeyTerm>& terms = terms_of(problem, queue);
    for (std::size_t t = 0; t < terms.size(); ++t)
      genes.picks[t] = static_cast<std::uint8_t>(below(rng, terms[t].keys.size()));
  }
  for (std::size_t d = 0; d < candidate.settings.size(); ++d) {
    const std::size_t values = problem.space().decisions[d].values.size();
    candidate.settings[d] = static_cast<std::uint8_t>(rng.below(2) == 0 ? 0 : below(rng, values));
  }
  return candidate;
}

void mutate(const SearchProblem& problem, Candidate& candidate, std::size_t part, Rng& rng) {
  constexpr double kSetting = 0.6, kBoth = 0.25, kAgain = 0.4;
  const std::vector<std::size_t> queues = open_queues(problem, part);
  do {
    const bool setting = queues.empty() || (!candidate.settings.empty() && rng.uniform() < kSetting);
    if (setting && candidate.settings.empty()) return;
    if (setting) {
      mutate_setting(problem, candidate, part, rng);
    } else if (queues.size() > 1 && rng.uniform() < kBoth) {
      mutate_both_queues(problem, candidate, part, rng);
    } else {
      const std::size_t queue = queues[below(rng, queues.size())];
      mutate_queue(problem, queue, candidate.queues[queue], rng);
    }
  } while (rng.uniform() < kAgain);
}

Candidate cross(const Candidate& a, const Candidate& b, Rng& rng) {
  Candidate child = rng.below(2) == 0 ? a : b;
  for (std::size_t q = 0; q < child.queues.size(); ++q)
    child.queues[q] = (rng.below(2) == 0 ? a : b).queues[q];
  for (std::size_t d = 0; d < child.settings.size(); ++d)
    child.settings[d] = (rng.below(2) == 0 ? a : b).settings[d];
  return child;
}

Candidate unite(const Candidate& a, const Candidate& b, Rng& rng) {
  Candidate child = cross(a, b, rng);
  for (std::size_t d = 0; d < child.settings.size(); ++d) {
    if (a.settings[d] == 0 || b.settings[d] == 0) child.settings[d] = std::max(a.settings[d], b.settings[d]);
  }
  return child;
}

std::vector<Candidate> other_settings(const SearchProblem& problem, const Candidate& candidate) {
  std::vector<Candidate> others;
  for (std::size_t d = 0; d < candidate.settings.size(); ++d) {
    for (std::size_t v = 0; v < problem.space().decisions[d].values.size(); ++v) {
      if (v == candidate.settings[d]) continue;
      others.push_back(candidate);
      others.back().settings[d] = static_cast<std::uint8_t>(v);
    }
  }
  return others;
}

}  // namespace a3sim
