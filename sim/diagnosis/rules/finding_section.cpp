#include "sim/diagnosis/rules/finding_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnosis/rules/advice_report.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

// Returns the page's task for a place, or null if the place is no task of the pass.
Json task_json(const TracedPass& pass, const RecordPlace& place) {
  if (place.task == kNone || place.pass != pass.name) return nullptr;
  const TraceTask& task = pass.trace.ranks[place.rank][place.task];
  return {{"rank", place.rank}, {"op", task.op}, {"index", task.index}};
}

// Returns the first and the last time of what a finding names: its operators, or the puts for communication,
// or else all tasks.
std::pair<Duration, Duration> span_of(const Finding& finding, const Trace& trace) {
  const auto named = [&](const TraceTask& task) {
    if (!finding.operators.empty())
      return std::ranges::find(finding.operators, trace.operators[task.op].name) != finding.operators.end();
    return finding.cause.starts_with("comm.") ? task.remote : true;
  };
  Duration from = trace.makespan, to{};
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (!finding.ranks.empty() && std::ranges::find(finding.ranks, rank) == finding.ranks.end()) continue;
    for (const TraceTask& task : trace.ranks[rank]) {
      if (!named(task)) continue;
      from = std::min(from, task.start);
      to = std::max(to, task.end);
    }
  }
  return from < to ? std::pair(from, to) : std::pair(Duration::zero(), trace.makespan);
}

// Returns what a page says of a finding, apart from its place. `pass` is the pass of its evidence, or null.
Json finding_words(const Finding& finding, std::uint32_t ranks, const TracedPass* pass, std::size_t number) {
  Json evidence = Json::array(), out = Json::array(), remedies = Json::array();
  for (const Evidence& item : finding.evidence)
    evidence.push_back({{"text", evidence_text(item)},
                        {"place", item.place.text},
                        {"task", pass ? task_json(*pass, item.place) : Json()}});
  for (const RuledOut& item : finding.ruled_out) out.push_back(item.cause + ": " + item.why);
  for (const Remedy& remedy : finding.remedies) remedies.push_back(remedy.text);
  std::string lost = fmt::format("{:.3f} ms ({})", finding.lost_ms, share_text(finding));
  return {{"id", fmt::format("finding-{}", number)},
          {"number", number},
          {"cause", finding.cause},
          {"what", cause_in_words(finding.cause)},
          {"where", place_text(finding, ranks)},
          {"lost", finding.lost_ms > 0 ? lost : "at this limit"},
          {"info", finding.info},
          {"ranks", finding.ranks},
          {"evidence", std::move(evidence)},
          {"ruled_out", std::move(out)},
          {"remedies", std::move(remedies)},
          {"missing", finding.missing}};
}

Json finding_json(const Finding& finding, const PassFindings& pass, std::size_t number) {
  const auto [from, to] = span_of(finding, pass.pass->trace);
  Json json = finding_words(finding, pass.advice->ranks, pass.pass, number);
  json.update(
      {{"run", pass.run}, {"pass", pass.pass->name}, {"from_ps", from.count()}, {"to_ps", to.count()}});
  return json;
}

Json job_finding_json(const Finding& finding, const Advice& advice, std::size_t number) {
  Json parts = Json::array();
  for (const FindingPart& part : finding.parts)
    parts.push_back({{"first", part.first}, {"last", part.last}, {"ranks", part.ranks}});
  if (parts.empty())
    parts.push_back({{"first", finding.first}, {"last", finding.last}, {"ranks", finding.ranks}});
  Json json = finding_words(finding, advice.ranks, nullptr, number);
  if (finding.lost_ms > 0)
    json["lost"] =
        fmt::format("{:.3f} ms per step ({}){}", finding.lost_ms, share_text(finding), trust_text(finding));
  json.update({{"run", ""},
               {"pass", steps_text(finding)},
               {"from_ps", 0},
               {"to_ps", 0},
               {"steady", finding.steady},
               {"parts", std::move(parts)}});
  return json;
}

}  // namespace

void add_findings(Page& page, std::span<const PassFindings> passes) {
  Json findings = Json::array();
  for (const bool info : {false, true})
    for (const PassFindings& pass : passes)
      for (const Finding& finding : info ? pass.advice->infos : pass.advice->findings)
        findings.push_back(finding_json(finding, pass, findings.size() + 1));
  if (!findings.empty())
    page.add({{"kind", "findings"}, {"title", "Findings"}, {"findings", std::move(findings)}});
}

void add_job_findings(Page& page, const Advice& advice) {
  Json findings = Json::array();
  for (const std::vector<Finding>* list : {&advice.findings, &advice.infos})
    for (const Finding& finding : *list)
      findings.push_back(job_finding_json(finding, advice, findings.size() + 1));
  if (!findings.empty())
    page.add(
        {{"kind", "findings"}, {"title", "Findings"}, {"whole", "step"}, {"findings", std::move(findings)}});
}

}  // namespace a3sim
