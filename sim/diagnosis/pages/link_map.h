#pragma once

#include "traces/observation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// The rates between ranks in each step that was recorded in full, beside those of a usual step, as a section of a page.
// The usual step is one without faults and noise where that is known, else `usual`, one that was not slow; without
// either, a link is compared with the median of all in the same exchanges. Adds nothing where no transfers were seen.
// `slow`: numbers of steps that are slow, as the source numbers them.
void add_link_map(Page& page, const Observation& job, const std::vector<std::uint32_t>& slow);

}  // namespace a3sim
