#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/experiment/experiment.h"

namespace a3sim {

// What a pass's operators did, over all ranks. The pass was run with records.
std::string operators_table(const PassResult& pass);
nlohmann::ordered_json operators_json(const PassResult& pass);

// What a pass's operators asked of the L2, and who had left there what they found: means of the ranks.
std::string l2_table(const PassResult& pass);
nlohmann::ordered_json l2_json(const L2Traffic& traffic);

}  // namespace a3sim
