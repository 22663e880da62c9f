#pragma once

#include <array>
#include <vector>

#include "sim/experiment/step/step_program.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

// What exchanges among dies are for.
enum class ExchangeFor : std::uint8_t { kEp, kTp, kDp, kPp };
constexpr auto names_of(ExchangeFor) {
  return std::to_array<std::string_view>({"EP", "TP", "DP", "PP and CP"});
}

// One kind of exchange of a die: how long it went on, and how much of that nothing computed.
struct ExchangeAccount {
  Duration total{}, exposed{};
  std::array<Duration, 4> hidden_by{};  // the first four time classes
  Duration hidden() const { return total - exposed; }
};

// Where the time of one stage's die went.
struct StageAccount {
  ClassTimes classes{};  // they sum to the step's time
  std::array<ExchangeAccount, kCountOf<ExchangeFor>> exchanges{};
  ExchangeAccount paired, unpaired;  // of EP: in passes beside another micro-batch's, and in others
  Duration
      experts{};  // the MoE-FFN, Dispatch to Combine, as far as the die waits for it: its kernels, and exposed exchanges
  Duration active{};  // while anything runs on the die
};

std::vector<StageAccount> accounts_of(const StepProgram& written, const StreamResult& result);

}  // namespace a3sim
