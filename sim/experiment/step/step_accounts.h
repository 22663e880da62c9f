#pragma once

#include <array>
#include <vector>

#include "sim/experiment/step/step_program.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

// The purpose of an exchange among dies.
enum class ExchangeFor : std::uint8_t { kEp, kTp, kDp, kPp };
constexpr auto names_of(ExchangeFor) {
  return std::to_array<std::string_view>({"EP", "TP", "DP", "PP and CP"});
}

// The time of one kind of exchange of a die, and the part of it that its class has: nothing computes then, nor does an
// exchange of a class before it go on.
struct ExchangeAccount {
  Duration total{}, exposed{};
  Duration beside{};  // time without a kernel that counts for another exchange, which goes on as well
  std::array<Duration, 4> hidden_by{};  // time beside each of the first four time classes
  Duration hidden() const { return total - exposed - beside; }  // time beside kernels
};

// Divides the time of one stage's die.
struct StageAccount {
  ClassTimes classes{};  // they sum to the step's time
  std::array<ExchangeAccount, kCountOf<ExchangeFor>> exchanges{};
  // EP exchanges of passes that run beside another micro-batch's, and of other passes.
  ExchangeAccount paired, unpaired;
  // The time for which the die waits for the MoE-FFN, Dispatch to Combine: its kernels, and exposed
  // exchanges.
  Duration experts{};
  Duration active{};  // time in which anything runs on the die
  Duration gaps{};    // between kernels, of the class `rest`
};

std::vector<StageAccount> accounts_of(const StepProgram& written, const StreamResult& result);

}  // namespace a3sim
