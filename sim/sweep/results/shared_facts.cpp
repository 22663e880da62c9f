#include "sim/sweep/results/shared_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/sweep/open_results.h"

namespace a3sim {
namespace {

struct FactKey {
  std::string_view section, key, words;  // `words` around the value
};
constexpr FactKey kFactKeys[] = {
    {"model", "name", "model {}"},      {"parallel", "dies", "{} dies"},
    {"parallel", "ep", "EP{}"},         {"model", "tokens", "{} tokens per rank"},
    {"model", "hidden", "hidden {}"},   {"routing", "kind", "routing {}"},
    {"hardware", "name", "machine {}"}, {"program", "name", "program {}"},
    {"experiment", "pass", "pass {}"},  {"experiment", "execution", "execution {}"},
    {"order", "name", "order {}"}};

// Returns a value of a resolved configuration, as this program writes it: sections at the margin, their keys two spaces in.
std::string value_in(std::string_view config, std::string_view section, std::string_view key) {
  const std::string head = fmt::format("\n{}:\n", section), line = fmt::format("\n  {}: ", key);
  const std::size_t begin = config.find(head);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = config.substr(begin + head.size() - 1);
  std::size_t end = 0;  // where the next section begins
  while ((end = rest.find('\n', end)) != std::string_view::npos && end + 1 < rest.size() &&
         rest[end + 1] == ' ')
    ++end;
  const std::string_view own = rest.substr(0, end);
  const std::size_t at = own.find(line);
  if (at == std::string_view::npos) return {};
  const std::string_view value = own.substr(at + line.size());
  return std::string(value.substr(0, value.find('\n')));
}

// Calls visit(configuration) for each one that differs of the points that have run.
void each_config(const std::filesystem::path& database, std::string_view sweep, const auto& visit) {
  with_results(database, [&](SQLite::Database& db) {
    SQLite::Statement rows(
        db,
        "SELECT DISTINCT config FROM point JOIN sweep_point ON point.id = sweep_point.point "
        "WHERE sweep = ? AND status = 'done'");
    rows.bind(1, std::string(sweep));
    while (rows.executeStep()) visit("\n" + rows.getColumn(0).getString());
  });
}

}  // namespace

std::string shared_facts(const std::filesystem::path& database, std::string_view sweep) {
  std::vector<std::string> shared;
  bool first = true;
  each_config(database, sweep, [&](const std::string& config) {
    std::vector<std::string> facts;
    for (const auto& [section, key, words] : kFactKeys)
      if (const std::string value = value_in(config, section, key); !value.empty() && value != "\"\"")
        facts.push_back(fmt::format(fmt::runtime(words), value));
    if (std::exchange(first, false)) shared = facts;
    std::erase_if(shared, [&](const std::string& fact) { return std::ranges::count(facts, fact) == 0; });
  });
  return fmt::format("{}", fmt::join(shared, " · "));
}

}  // namespace a3sim
