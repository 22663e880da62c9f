#include "sim/cli/command.h"

namespace a3sim {
namespace {

A3SIM_REGISTER(Command, "schedule", "Compile, show and compare schedules; write down their orders",
               Command(CommandGroup::kPrototype));

}  // namespace
}  // namespace a3sim
