#pragma once

#include <string_view>

#include "models/traffic/log_row.h"

namespace a3sim {

// Returns whether a file begins as NumPy's arrays do: .npy, or .npz with such ones in it.
bool begins_arrays(std::string_view begin);

// Reads arrays of a log. Experts of tokens (topk_ids, routed_experts, indices, ...) lie by token and slot, or by token, layer and slot;
// an array `layer_3` has those of one layer; routing_map is a mask by token and expert. Beside them may stand topk_weights in
// the same form and, a number for each token, layer, req_id and token_idx. Counts (logical_count, ...) lie by expert; by layer
// and expert; or by step, layer and expert. Throws std::invalid_argument with what is wrong.
void read_array_log(std::string_view bytes, const LogSink& sink);

}  // namespace a3sim
