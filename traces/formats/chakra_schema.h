#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"

// Execution traces of MLCommons Chakra: a file per rank, NAME.RANK.et, with protobuf messages that each follow their length:
// the metadata, then nodes. Numbers of fields and values: github.com/mlcommons/chakra, schema/protobuf/et_def.proto.
namespace a3sim::chakra {

enum GlobalMetadata { kVersion = 1 };
enum NodeField {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlDependencies = 4,
  kDataDependencies = 5,
  kStartMicros = 6,
  kDurationMicros = 7,
  kAttribute = 10
};
enum AttributeField {
  kAttributeName = 1,
  kDouble = 3,
  kFloat = 5,
  kInt32 = 7,
  kInt64 = 9,
  kUint32 = 11,
  kUint64 = 13,
  kSint32 = 15,
  kSint64 = 17,
  kFixed32 = 19,
  kFixed64 = 21,
  kSfixed32 = 23,
  kSfixed64 = 25,
  kBool = 27,
  kString = 29
};

}  // namespace a3sim::chakra

namespace a3sim {

// The kind of a node of a Chakra trace.
enum class ChakraType : std::uint8_t {
  kInvalid,
  kMetadata,
  kLoad,
  kStore,
  kCompute,
  kSend,
  kReceive,
  kCollective
};
constexpr auto names_of(ChakraType) {
  return std::to_array<std::string_view>(
      {"invalid", "metadata", "load", "store", "compute", "send", "receive", "collective"});
}

enum class ChakraCollective : std::uint8_t {
  kAllReduce,
  kReduce,
  kAllGather,
  kGather,
  kScatter,
  kBroadcast,
  kAllToAll,
  kReduceScatter,
  kReduceScatterBlock,
  kBarrier
};
constexpr auto names_of(ChakraCollective) {
  return std::to_array<std::string_view>({"all-reduce", "reduce", "all-gather", "gather", "scatter",
                                          "broadcast", "all-to-all", "reduce-scatter", "reduce-scatter block",
                                          "barrier"});
}

}  // namespace a3sim
