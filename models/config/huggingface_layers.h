#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace a3sim {

// What a config.json of HuggingFace's transformers says of all of a model's layers, as keys of `model`.
struct HuggingFaceLayers {
  struct Key {
    std::string path;  // below `model`: "vocabulary", "attention.heads"
    std::string value;
    std::string source;  // the key of the config.json
  };
  std::vector<Key> keys;
  std::vector<std::string> layers;   // as the list `layers` has them; empty: it does not say how many
  std::vector<std::string> guessed;  // paths of keys that it does not say and whose value is a guess
};

// `json` is the mapping of the language model. Keys of a wrong type count as absent.
HuggingFaceLayers huggingface_layers(const nlohmann::json& json);

}  // namespace a3sim
