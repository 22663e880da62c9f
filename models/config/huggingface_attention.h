#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace a3sim {

// The keys that tokens meet, layer by layer, as a config.json of HuggingFace's transformers says it.
struct HuggingFaceAttention {
  std::int64_t window = 0;     // keys that a token of a windowed layer meets, its own included
  std::string window_key;      // the key that says so
  std::vector<bool> windowed;  // by layer; empty: no layer is windowed
  // A key that says that some layers do something else, and what that is; empty if nothing does.
  std::string unknown_key, unknown;
};

// Reads the mapping of the language model. Keys of a wrong type count as absent.
HuggingFaceAttention huggingface_attention(const nlohmann::json& json);

}  // namespace a3sim
