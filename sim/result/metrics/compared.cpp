#include <algorithm>

#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

using Form = Metric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount latency(const PassAnalysis& pass) { return {.part = ps(pass.latency())}; }

MetricAmount span(const PassAnalysis& pass, std::string_view op) {
  return {.part = ps(pass.span(op).length())};
}

// Returns the part of an operator's time in which rows are put to other ranks.
MetricAmount communicating(const PassAnalysis& pass, std::string_view op) {
  const OperatorSpan own = pass.span(op), sent = pass.exchanges();
  return {ps(std::min(sent.last, own.last) - std::max(sent.first, own.first)), ps(own.length())};
}

A3SIM_REGISTER(Metric, "speedup", "how many times faster than the case that it is compared with",
               Metric{.form = Form::kMilliseconds,
                      .amount = latency,
                      .relation = Metric::Relation::kSpeedup,
                      .published_only = true});
A3SIM_REGISTER(Metric, "other", "the latency of the case that it is compared with",
               Metric{.form = Form::kMilliseconds,
                      .amount = latency,
                      .relation = Metric::Relation::kOther,
                      .published_only = true});
A3SIM_REGISTER(Metric, "slowdown", "by which part an operator takes longer than in the case compared with",
               Metric{.form = Form::kMilliseconds,
                      .of_operator = span,
                      .relation = Metric::Relation::kSlowdown,
                      .needs_records = true,
                      .published_only = true});
A3SIM_REGISTER(Metric, "communicating", "the part of an operator's time in which ranks exchange rows",
               Metric{.form = Form::kShareOfTime,
                      .of_operator = communicating,
                      .needs_records = true,
                      .published_only = true});

}  // namespace
}  // namespace a3sim
