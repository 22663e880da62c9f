#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// The source of a value that a config.json does not give.
inline constexpr std::string_view kAssumedOfModel = "assumed: the model's file does not say it";

// The keys of `model` that a config.json of HuggingFace's transformers gives for all layers of a model.
struct HuggingFaceLayers {
  struct Key {
    std::string path;  // below `model`: "vocabulary", "attention.heads"
    std::string value;
    std::string source;    // the key of the config.json
    bool assumed = false;  // it does not give the value, and its family is not known
  };
  std::vector<Key> keys;
  std::vector<std::string> layers;  // entries for the list `layers`; empty if their number is not given
  // A key that says that layers attend in a way that is not simulated, and which; empty if there is none.
  std::string unknown_key, unknown;
};

// Converts the mapping of the language model. Keys of a wrong type count as absent.
HuggingFaceLayers huggingface_layers(const nlohmann::json& json);

}  // namespace a3sim
