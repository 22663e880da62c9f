#include <fmt/format.h>

#include <algorithm>

#include "sim/traffic/decision.h"
#include "sim/variation/noise.h"

namespace a3sim {
namespace {

std::string percent_interval(const MedianInterval& interval) {
  return fmt::format("{:.1f} % (95 %: {:.1f} to {:.1f} %)", 100 * interval.median, 100 * interval.low,
                     100 * interval.high);
}

std::string times(double ratio) { return fmt::format("{:.2f}", ratio); }

// Returns why a remedy brings nothing: the first of the reasons that holds.
std::string why_not(const TrafficDecision& d, const BalanceRemedy& best) {
  const Unevenness& u = d.unevenness;
  if (u.rank.median < 1.05)
    return fmt::format("the busiest rank has only {} times the mean rows", times(u.rank.median));
  if (best.horizon > 0 && best.gain.low > 0 && best.net.median < best.gain.median / 2)
    return fmt::format(
        "what it saves does not pay for moving {:.1f} GB within the {:.0f} steps until it has worn off",
        static_cast<double>(best.move.bytes) / 1e9, best.horizon);
  if (u.rank.median < 1 + 1.5 * (u.rank.chance - 1))
    return fmt::format(
        "the busiest rank has {} times the mean, and tokens so few have {} by chance, which no placement "
        "foresees",
        times(u.rank.median), times(u.rank.chance));
  if (u.drifting > u.lasting)
    return fmt::format("of the unevenness {:.0f} % changes and {:.0f} % lasts", 100 * u.drifting,
                       100 * u.lasting);
  return fmt::format("the layer takes {} ms on this traffic and {} ms on balanced",
                     in_milliseconds(median_of(d.paths.front().steps)),
                     in_milliseconds(d.paths.front().even));
}

std::string cost_of_moving(const BalanceRemedy& r) {
  if (r.move.bytes == 0) return ", what it moves in each step included";
  const std::string again = r.again > 0 ? fmt::format(" every {:.0f} steps", r.again) : "";
  return fmt::format("; moving {:.2f} GB{} takes at most {} ms, which has come back after {:.0f} steps",
                     static_cast<double>(r.move.bytes) / 1e9, again, in_milliseconds(r.move.time),
                     r.break_even);
}

void add_uneven(const TrafficDecision& d, Report& report) {
  const Unevenness& u = d.unevenness;
  Table& table = report.table(
      "unevenness", {Column::words("busiest over mean", "of"), Column::number("median step", "median", 2),
                     Column::number("worst step", "most", 2), Column::number("all steps", "together", 2),
                     Column::number("by chance", "chance", 2)});
  table.add({"expert", u.expert.median, u.expert.most, u.expert.together, u.expert.chance});
  table.add({"rank", u.rank.median, u.rank.most, u.rank.together, u.rank.chance});
  report.fact("lasting", u.lasting).fact("drifting", u.drifting).fact("chance", u.chance);
  report.fact("next_step", u.next_step).fact("other_half", u.other_half).fact("foretold", u.foretold);
  report.say(
      fmt::format("Of how experts' rows differ in a step, {:.0f} % lasts over the record, {:.0f} % drifts, "
                  "{:.0f} % is chance of few "
                  "tokens. Popularity correlates {:.2f} with the next step's and {:.2f} with the other "
                  "half's; the first half's counts "
                  "foretell {:.0f} % of how ranks' rows differ in the second.\n",
                  100 * u.lasting, 100 * u.drifting, 100 * u.chance, u.next_step, u.other_half,
                  100 * std::max(0.0, u.foretold)));
  Table& ages = report.table("ages", {Column::count("steps since placed", "age"),
                                      Column::number("busiest rank over mean", "busiest", 2)});
  ages.add({Cell(), d.unplaced}, Audience::kPrograms);
  for (const Age& age : d.ages) ages.add({whole(age.steps), age.busiest});
}

void add_path_costs(const TrafficDecision& d, Report& report) {
  Table& table = report.table(
      "paths",
      {Column::words("path"), Column::milliseconds("on traffic ms", "latency_ps"),
       Column::milliseconds("fastest step", "least_ps"), Column::milliseconds("slowest step", "most_ps"),
       Column::milliseconds("balanced ms", "balanced_ps"), Column::signed_percent("uneven costs", "uneven"),
       Column::signed_percent("against configured", "apart"), Column::words("95 %", "interval").for_people(),
       Column::data("low"), Column::data("high"), Column::data("refused")});
  for (const PathCost& path : d.paths) {
    if (!path.refused.empty()) {
      table.add({path.name, {}, {}, {}, {}, {}, {}, {}, {}, {}, path.refused}, Audience::kPrograms);
      continue;
    }
    const Duration middle = median_of(path.steps);
    const auto [least, most] = std::ranges::minmax(path.steps);
    const bool first = &path == &d.paths.front();
    table.add({path.name,
               middle,
               least,
               most,
               path.even,
               seconds(middle) / seconds(path.even) - 1,
               first ? Cell() : Cell(path.apart.median),
               first ? "" : interval_in_percent(path.apart),
               first ? Cell() : Cell(path.apart.low),
               first ? Cell() : Cell(path.apart.high),
               {}});
  }
  std::string refused;
  for (const PathCost& path : d.paths)
    if (!path.refused.empty())
      refused += fmt::format("{}{} ({})", refused.empty() ? "" : "; ", path.name, path.refused);
  if (!refused.empty()) report.say("Not run: " + refused + ".\n");
}

void add_sizes(const TrafficDecision& d, Report& report) {
  std::vector<Column> columns{Column::count("tokens per rank", "tokens"), Column::words("fastest"),
                              Column::milliseconds("ms", "fastest_ps"),
                              Column::milliseconds("as configured", "configured_ps")};
  Table& table = report.table("sizes", columns);
  for (const SizeCost& size : d.sizes)
    table.add({whole(size.tokens), d.paths[size.fastest].name, size.paths[size.fastest], size.paths.front()});
}

// Says from how many tokens on which path is the fastest.
void say_crossovers(const TrafficDecision& d, Report& report) {
  std::string text;
  for (const SizeCost& size : d.sizes) {
    const std::string& name = d.paths[size.fastest].name;
    if (text.empty())
      text = fmt::format("Fastest is {}", name);
    else if (name != d.paths[(&size - 1)->fastest].name)
      text += fmt::format(", and {} from {} tokens per rank on ({} before)", name, size.tokens,
                          (&size - 1)->tokens);
  }
  if (!text.empty()) report.say(text + ".\n", "crossover");
}

void add_remedies(const TrafficDecision& d, Report& report) {
  Table& table = report.table(
      "remedies", {Column::words("remedy"), Column::words("on"), Column::number("busiest", "busiest", 2),
                   Column::signed_percent("saves", "gain"), Column::signed_percent("with moving", "net"),
                   Column::signed_percent("low", "net_low"), Column::signed_percent("high", "net_high"),
                   Column::number("moves GB", "moved_gb", 2), Column::milliseconds("move ms", "move_ps"),
                   Column::number("break-even steps", "break_even", 0),
                   Column::signed_percent("promised early", "promised"), Column::words("verdict"),
                   Column::data("refused")});
  for (const BalanceRemedy& r : d.remedies) {
    if (!r.refused.empty()) {
      table.add({r.name, r.on, {}, {}, {}, {}, {}, {}, {}, {}, {}, "did not run", r.refused});
      continue;
    }
    const bool moves = r.move.bytes > 0;
    table.add({r.name,
               r.on,
               moves ? Cell(r.busiest) : Cell(),
               r.gain.median,
               r.net.median,
               r.net.low,
               r.net.high,
               moves ? Cell(static_cast<double>(r.move.bytes) / 1e9) : Cell(),
               moves ? Cell(r.move.time) : Cell(),
               r.break_even >= 0 ? Cell(r.break_even) : Cell(),
               r.promised.median,
               std::string(name_of(r.verdict)),
               {}});
  }
}

void add_regret(const TrafficDecision& d, Report& report) {
  const bool nothing = d.chosen_early == d.remedies.size();
  report.fact("regret", d.regret).fact("paid_early", d.paid_early);
  report.say(
      fmt::format("Decided on the first half alone: {}, which saves {:.1f} % on the second; in hindsight "
                  "{:.1f} % more could be had.\n",
                  nothing ? "nothing" : d.remedies[d.chosen_early].name, 100 * d.paid_early, 100 * d.regret));
}

}  // namespace

std::string TrafficDecision::sentence() const {
  if (remedies.empty() || !remedies[best].refused.empty()) return "Undecided: no remedy could be run.";
  const BalanceRemedy& r = remedies[best];
  const std::string what = fmt::format("{} ({})", r.name, r.on);
  switch (r.verdict) {
    case BalanceVerdict::kDo:
      return fmt::format("Do it: {} saves {} of layer {}, {}{}.", what, percent_interval(r.net), layer, pass,
                         cost_of_moving(r));
    case BalanceVerdict::kDoNot:
      return fmt::format("Do not: balancing does not pay; the best, {}, saves {} of layer {}, {}, since {}.",
                         what, percent_interval(r.net), layer, pass, why_not(*this, r));
    case BalanceVerdict::kUndecided:
      break;
  }
  if (r.unseen)
    return fmt::format(
        "Undecided: {} saves {} of layer {}, {}{}, and the record shows {} steps after the move; a longer "
        "log "
        "would tell whether traffic stays as it is.",
        what, percent_interval(r.net), layer, pass, cost_of_moving(r), rest);
  return fmt::format(
      "Undecided: the best, {}, saves {} of layer {}, {}, since steps differ so much that {} of them do not "
      "tell; more steps "
      "(--sample), or a longer log, would.",
      what, percent_interval(r.net), layer, pass, paid.size());
}

Report decision_report(const TrafficDecision& d) {
  Report report;
  report.fact("log", d.log).fact("layer", std::int64_t{d.layer}).fact("steps", whole(d.steps.size()));
  report.fact("verdict", std::string(name_of(d.verdict())));
  report.say(d.sentence() + '\n', "sentence");
  report.say(
      fmt::format("Layer {} on {}, EP{}, {} tokens per rank, top-{} of {} experts, {}: {} steps, of which {} "
                  "of the second half were run.\n",
                  d.layer, d.machine, d.shape.ep, d.shape.tokens, d.shape.top_k, d.shape.experts(), d.pass,
                  d.steps.size(), d.paid.size()));
  add_uneven(d, report);
  add_path_costs(d, report);
  add_sizes(d, report);
  say_crossovers(d, report);
  add_remedies(d, report);
  add_regret(d, report);
  return report;
}

}  // namespace a3sim
