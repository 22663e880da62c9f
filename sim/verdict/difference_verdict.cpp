#include "sim/verdict/difference_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/variation/noise.h"

namespace a3sim {
namespace {

// " (95 %: +12.9..+13.3)", of milliseconds; nothing of one run.
std::string interval_behind(const MedianInterval& median_interval) {
  const std::string interval = interval_in_milliseconds(median_interval);
  return interval.empty() ? "" : fmt::format(" (95 %: {})", interval);
}

std::string hidden_by_noise(const DifferenceVerdict& verdict) {
  if (!verdict.hidden) return {};
  return fmt::format("; the {} would explain {:.0f} %, but that is noise", verdict.hidden->part,
                     100 * verdict.hidden->share);
}

std::string cause_text(const DifferenceVerdict& verdict) {
  if (!verdict.cause)
    return ": no part of A's configuration explains it alone, only parts together do" +
           hidden_by_noise(verdict);
  const DifferenceCause& cause = *verdict.cause;
  std::string text = fmt::format("; the largest cause lies in the {} ({})", cause.part, cause.keys);
  if (cause.with_it)
    text += fmt::format(": with that of A, B would take {}, {:.0f} % of the difference",
                        in_ms_or_s(*cause.with_it), 100 * cause.share);
  return text + hidden_by_noise(verdict);
}

}  // namespace

std::string verdict_text(const DifferenceVerdict& verdict) {
  if (!verdict.one_run && !verdict.apart.clear())
    return fmt::format(
        "A and B do not differ by more than noise: {:+.3f} ms{}. The saved runs differ by {:+.3f} ms.",
        1e-9 * verdict.apart.median, interval_behind(verdict.apart), milliseconds(verdict.saved));
  std::string text =
      fmt::format("B takes {} ({:.1f} %) {} than A{}",
                  in_ms_or_s(Duration(static_cast<std::int64_t>(std::abs(verdict.apart.median)))),
                  100 * std::abs(verdict.relative), verdict.apart.median > 0 ? "longer" : "less",
                  interval_behind(verdict.apart));
  text += verdict.one_run ? ", from one run of each" : cause_text(verdict);
  if (!verdict.changed.empty())
    text +=
        fmt::format("; {}most of it is {}", verdict.one_run ? "" : "on the critical path ", verdict.changed);
  constexpr double kNamed = 0.01;  // of the difference
  if (verdict.hit_rates && std::abs(*verdict.hit_rates) >= kNamed)
    text += fmt::format("; A's L2 hit rates alone make {:.0f} %", 100 * *verdict.hit_rates);
  return text + '.';
}

}  // namespace a3sim
