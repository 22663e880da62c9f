#pragma once

#include "sim/core/config/config.h"

namespace a3sim {

// Notes an error for each key of the `hardware` mapping that belongs to the `program` mapping, with its place
// there.
void refuse_program_keys(const Config& hardware);

}  // namespace a3sim
