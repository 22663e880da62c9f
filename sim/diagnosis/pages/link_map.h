#pragma once

#include "traces/observation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds a section with the rates between ranks in each step that was recorded in full, beside those of a usual
// step. The usual step is one without faults and noise if known, else `usual`, one that was not slow. Without
// either, a link is compared with the median of all links in the same exchanges. Adds nothing if no transfers
// were seen. `slow` lists the slow steps, as the source numbers them.
void add_link_map(Page& page, const Observation& job, const std::vector<std::uint32_t>& slow);

}  // namespace a3sim
