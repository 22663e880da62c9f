#include "sim/search/judgement.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

std::string denied_by(const VerifiedGain& gain) {
  if (!gain.refused.empty())
    return fmt::format("it cannot run {}: {}", gain.condition,
                       gain.refused.substr(0, gain.refused.find('\n')));
  return fmt::format("with all ranks and noise it gains {:+.2f} % ({:+.2f}..{:+.2f} %) over {}, {}",
                     100 * gain.gain, 100 * gain.low, 100 * gain.high, gain.best_start, gain.condition);
}

std::string denied_elsewhere(const Verification& verified) {
  const MeanInterval& mean = verified.mean_elsewhere;
  return fmt::format("in conditions that it was not trained on it gains {:+.2f} % ({:+.2f}..{:+.2f} %)",
                     100 * mean.mean, 100 * mean.low, 100 * mean.high);
}

std::string rests_on(const GainRanges& ranges) {
  const std::vector<RangedGain> values = ranges.rests_on();
  const std::string together = ranges.known_alone() ? " and others, all at unfavourable ends" : "";
  return fmt::format("it rests on {}{}; measure it by: {}", names_of_values(values), together,
                     how_to_measure(values));
}

// A gain must be larger than so many times what the nearest published change is predicted to gain too much.
constexpr double kTimesExaggerated = 2;

std::string below_error(const PublishedChange& change) {
  return fmt::format(
      "it is smaller than the error of the nearest published change of its kind ({}, {}: published {:+.1f} "
      "%, "
      "predicted {:+.1f} %); measure both orders on hardware",
      change.what, change.where, 100 * change.published, 100 * change.predicted);
}

}  // namespace

const std::optional<PublishedChange>& Judge::nearest() {
  if (!nearest_) nearest_ = nearest_published_change(problem_.experiment(), options_.threads);
  return *nearest_;
}

Judgement Judge::judge(double trained, const NamedOrder* order, bool own_order) {
  Judgement judgement;
  const auto end_with = [&](GainVerdict verdict, std::string why) {
    judgement.verdict = verdict;
    judgement.why = std::move(why);
    return judgement;
  };
  if (trained < kLeastGain)
    return end_with(GainVerdict::kNothing, fmt::format("less than {} % counts as nothing", 100 * kLeastGain));
  const Verification& verified = judgement.verified = verifier_.verify(order, own_order);
  if (const VerifiedGain* denial = verified.denial())
    return end_with(GainVerdict::kDenied, denied_by(*denial));
  const bool here_alone = !verified.holds_elsewhere();
  if (here_alone && options_.objective != SearchObjective::kOne)
    return end_with(GainVerdict::kDenied, denied_elsewhere(verified));
  const std::optional<std::size_t> same_settings =
      verified.same_settings ? std::optional(verified.same_settings->start) : std::nullopt;
  judgement.ranges = gain_ranges(problem_, options_, outcome_, runs_, start_times_, order, same_settings);
  if (!judgement.ranges.known()) return end_with(GainVerdict::kNotKnown, rests_on(judgement.ranges));
  Verification counted = verified;
  if (here_alone) counted.elsewhere.clear();
  const double gain = std::min(trained, counted.smallest());
  judgement.nearest = nearest();
  if (judgement.nearest && kTimesExaggerated * judgement.nearest->exaggerated() >= gain)
    return end_with(GainVerdict::kNotKnown, below_error(*judgement.nearest));
  judgement.gain = gain;
  return here_alone ? end_with(GainVerdict::kConfiguredAlone, denied_elsewhere(verified))
                    : end_with(GainVerdict::kHolds, {});
}

}  // namespace a3sim
