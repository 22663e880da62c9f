#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/shape.h"

namespace a3sim {

// The sizes of a whole model. The kernels of its blocks follow from them.
struct ModelShape {
  struct Attention {
    // Latent attention (MLA): queries, and keys with values, are computed from narrow vectors. A part of each
    // key, the rotated one, is the same for all heads.
    struct Latent {
      std::uint32_t queries = 0;  // width of the queries' vector; 0: they are computed from the hidden state
      std::uint32_t keys = 0;     // width of the vector of keys and values
      std::uint32_t rotated = 0;  // rotated part of a query's and a key's width
    };
    std::uint32_t heads = 0, kv_heads = 0;
    std::uint32_t d_qk = 0, d_v = 0;  // widths of a head's queries and keys, and of its values
    bool qk_norm = false;             // queries and keys are normalised per head
    std::optional<Latent> latent{};
    std::uint32_t window = 0;  // keys that a token of a windowed layer meets; 0: there is no such layer
  };
  struct Experts {
    std::uint32_t count = 0, top_k = 0;
    std::uint32_t intermediate = 0;         // width of one
    std::uint32_t shared_intermediate = 0;  // of all shared experts together; 0: none
    std::uint32_t latent = 0;               // width of the rows that go to experts; 0: the model's
  };

  // Returns the width of the rows that go to experts.
  std::uint32_t expert_hidden() const { return experts.latent > 0 ? experts.latent : hidden; }
  // Returns how many columns the first product of a feed-forward network has for each of the second's.
  std::uint32_t first_columns() const { return gated ? 2 : 1; }

  std::string name;
  std::uint32_t hidden = 0;
  std::uint32_t vocabulary = 0;
  bool tied = false;  // the head's weights are the embedding's
  Attention attention;
  std::uint32_t dense_intermediate = 0;  // width of a dense layer's feed-forward network; 0: no such layer
  Experts experts;                       // count 0: no such layer
  bool gated = true;  // experts and feed-forward networks have a gate: SwiGLU, else squared ReLU
  DataType dtype = DataType::kBf16;
  std::vector<std::string> layers;  // kinds of its blocks, in order
};

}  // namespace a3sim
