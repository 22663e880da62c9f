#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_cables.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

// A cable or a switch is slow: what its routes carry is, and no port explains that as well. Needs a plan of the network, and
// rates of a usual step: pairs of ranks differ by where they lie.
class CommCableRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    if (slowdown.reference.transfers.empty()) return {};
    const auto slow = slow_cables_of(slowdown.transfers.rates, slowdown.observation.cables());
    if (!slow || slow->factor > data.at("slow") || slow->fit < data.at("fit")) return {};
    if (slow->fit < slow->port_fit + data.at("above_port")) return {};
    Finding finding;
    finding.cables = slow->names;
    finding.factor = slow->factor;
    finding.explains = communication_share(slowdown);
    finding.add({fmt::format("what goes over it, between {} pairs of ranks, has {{}} of the rate elsewhere",
                             slow->over),
                 "", slow->factor, data.at("slow"),
                 slow->longest ? slowdown.observation.place_of(*slow->longest) : RecordPlace()});
    finding.add({fmt::format("it explains {{}} of the spread of rates; the best port explains {:.0f} %",
                             100 * slow->port_fit),
                 "",
                 slow->fit,
                 data.at("fit"),
                 {}});
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.cable", "a cable or a switch is slow", CommCableRule);

}  // namespace
}  // namespace a3sim
