#include "sim/network/cable_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/core/closest.h"
#include "sim/core/config/share.h"

namespace a3sim {
namespace {

// Returns the name without the number of a cable among several between two switches.
std::string without_number(const std::string& name) { return name.substr(0, name.find('#')); }

std::vector<std::uint32_t> cables_that(const CableLayout& layout, const auto& matches) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t c = 0; c < layout.cables().size(); ++c)
    if (matches(layout.cables()[c])) found.push_back(c);
  return found;
}

// Returns the names of a cable under one of the keys `cable` (its own name), `switch` (the nodes at its ends)
// and `level`.
std::vector<std::string> names_of_cable(const Cable& cable, std::string_view key) {
  const std::string from = without_number(cable.from), to = without_number(cable.to);
  const std::string number = cable.to.substr(to.size()) + cable.from.substr(from.size());
  if (key == "switch") return to.empty() ? std::vector<std::string>{} : std::vector{from, to};
  if (key == "level") return {cable.level};
  if (cable.to.empty()) return {cable.from};
  std::vector<std::string> names;
  for (const char* join : {"->", "-"}) {
    names.push_back(from + join + to);
    if (!number.empty()) names.push_back(from + join + to + number);
  }
  names.push_back(to + "-" + from);
  if (!number.empty()) names.push_back(to + "-" + from + number);
  return names;
}

// Returns the cables that an entry names.
std::vector<std::uint32_t> read_cables(const Config& entry, const CableLayout* layout) {
  std::string key;
  for (const char* name : {"cable", "switch", "level"}) {
    if (!entry.has(name)) continue;
    if (!key.empty()) entry.error(name, fmt::format("'{}' says which cables already", key));
    key = name;
  }
  if (key.empty()) {
    entry.error("cable", "expected 'cable', 'switch' or 'level', which say what is damaged");
    return {};
  }
  const std::string wanted = entry.text(key);
  if (!layout) return {};
  std::vector<std::uint32_t> found = cables_that(*layout, [&](const Cable& cable) {
    const std::vector<std::string> names = names_of_cable(cable, key);
    return std::ranges::find(names, wanted) != names.end();
  });
  if (found.empty()) {
    constexpr std::size_t kMostSuggestions = 20000;
    std::vector<std::string> known;
    for (std::size_t c = 0; c < std::min(layout->cables().size(), kMostSuggestions); ++c) {
      const std::vector<std::string> names = names_of_cable(layout->cables()[c], key);
      if (!names.empty()) known.push_back(names.front());
    }
    entry.error(key, fmt::format("the topology has no {} '{}'{}", key, wanted, suggestion(wanted, known)));
  }
  return found;
}

}  // namespace

CableDamage read_cable_damage(const Config& entry, const CableLayout* layout) {
  CableDamage damage;
  damage.cables = read_cables(entry, layout);
  damage.factor = entry.number("factor", 0, 1);
  if (damage.factor > 0 && damage.factor < 0.001) entry.error("factor", "expected 0, or 0.001 to 1");
  if (entry.has("period")) damage.period = entry.duration("period", false);
  if (entry.has("duty")) {
    if (!entry.has("period")) entry.error("duty", "needs a 'period', of which it is a part");
    const double duty = read_share(entry, "duty", 1, 1);
    damage.on = Duration(static_cast<std::int64_t>(static_cast<double>(damage.period.count()) * duty));
  } else {
    damage.on = damage.period;
  }
  if (damage.factor == 0 && damage.changes())
    entry.error("factor", "a cable that comes and goes keeps a part of its rate, expected 0.001 to 1");
  return damage;
}

CableRates damaged_rates(const CableLayout& layout, const std::vector<CableDamage>& damages) {
  CableRates damaged;
  for (const Cable& cable : layout.cables()) damaged.rates.push_back(cable.rate);
  for (const CableDamage& damage : damages) {
    if (damage.changes()) continue;
    for (const std::uint32_t c : damage.cables) {
      if (damage.factor == 0) {
        damaged.dead.resize(damaged.rates.size(), false);
        damaged.dead[c] = true;
        continue;
      }
      const auto rate =
          static_cast<std::int64_t>(static_cast<double>(damaged.rates[c].count) * damage.factor);
      damaged.rates[c] = {std::max<std::int64_t>(1, rate)};
    }
  }
  return damaged;
}

}  // namespace a3sim
