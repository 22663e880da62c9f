#include "models/worker_kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::string_view kAic = "AIC", kAiv = "AIV";

std::string in_small(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::string WorkerKind::queue() const { return name == kAic ? "CTQ" : name == kAiv ? "VTQ" : name + "Q"; }

bool WorkerKind::names(std::string_view type) const {
  std::string_view rest = operators;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word == type) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return false;
}

std::string WorkerKind::key() const { return in_small(name); }

std::string WorkerKind::queue_key() const { return in_small(queue()); }

bool is_kind_name(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
         std::ranges::all_of(name,
                             [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::uint32_t WorkerKinds::workers() const { return first_worker(size()); }

std::uint32_t WorkerKinds::first_worker(std::uint32_t queue) const {
  std::uint32_t first = 0;
  for (std::uint32_t q = 0; q < queue; ++q) first += kinds_[q].count;
  return first;
}

std::uint32_t WorkerKinds::queue_of(std::uint32_t worker) const {
  std::uint32_t queue = 0;
  while (worker >= kinds_[queue].count) worker -= kinds_[queue++].count;
  return queue;
}

std::string WorkerKinds::worker_name(std::uint32_t worker) const {
  const std::uint32_t queue = queue_of(worker);
  return fmt::format("{} {}", kinds_[queue].name, worker - first_worker(queue));
}

std::string WorkerKinds::text() const {
  std::string text;
  for (std::uint32_t q = 0; q < size(); ++q)
    text += fmt::format("{}{} {}",
                        q == 0           ? ""
                        : q + 1 < size() ? ", "
                                         : " and ",
                        kinds_[q].count, kinds_[q].name);
  return text;
}

std::uint32_t WorkerKinds::queue_for(CoreUnit unit) const {
  const auto found = std::ranges::find_if(kinds_, [&](const WorkerKind& kind) { return kind.has(unit); });
  return found == kinds_.end() ? kNone : static_cast<std::uint32_t>(found - kinds_.begin());
}

std::uint32_t WorkerKinds::queue_naming(std::string_view type) const {
  const auto found = std::ranges::find_if(kinds_, [&](const WorkerKind& kind) { return kind.names(type); });
  return found == kinds_.end() ? kNone : static_cast<std::uint32_t>(found - kinds_.begin());
}

std::uint32_t WorkerKinds::count(CoreUnit unit) const {
  const std::uint32_t queue = queue_for(unit);
  return queue == kNone ? 0 : kinds_[queue].count;
}

WorkerKinds aic_and_aiv(std::uint32_t aic, std::uint32_t aiv) {
  return WorkerKinds({{std::string(kAic), aic, {true, false}}, {std::string(kAiv), aiv, {false, true}}});
}

bool are_aic_and_aiv(const WorkerKinds& kinds) {
  return kinds.size() == 2 && kinds == aic_and_aiv(kinds[0].count, kinds[1].count);
}

}  // namespace a3sim
