#pragma once

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/link_rates.h"
#include "sim/diagnosis/rules/steady_state.h"
#include "traces/profiled_time.h"

// Links between ranks as a profiler's communication_matrix.json sums them up.
namespace a3sim {

// Returns the profile whose matrices are to be used: that of a job of which no single transfer was recorded; else nullptr.
const ProfiledTime* matrix_of(const SteadyState& job);

// Returns the rates of usual steps, each relative to the median of its kind of exchange, group and kind of links. Leaves out
// pairs that exchange much less than the others: small packets are slower by themselves.
LinkRates rates_of_matrix(const SteadyState& job, const ProfiledTime& time);

// Adds the longest transfer over a slow link to its finding, beside the usual rate of its kind.
void add_matrix_link(const SlowLink& slow, const ProfiledTime& time, double threshold, Finding& finding);

}  // namespace a3sim
