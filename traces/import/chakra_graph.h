#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "traces/formats/chakra_schema.h"

namespace a3sim {

// A node of an execution trace of MLCommons Chakra, as far as simulators read it.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  ChakraType type{};
  std::vector<std::uint64_t> after;  // ids of nodes of the same rank
  std::uint64_t start = 0;           // us, as recorded; 0 if it was not
  Duration duration{};               // as recorded; zero if it was not
  bool on_host = false;
  std::uint64_t operations = 0, tensor_bytes = 0;  // of compute, loads and stores
  ChakraCollective collective{};
  std::uint64_t bytes = 0;                                     // of exchanges
  std::uint32_t source = kNone, destination = kNone, tag = 0;  // of sends and receives
  std::string group;                                           // of a collective; empty: all ranks
};

struct ChakraRank {
  std::string file;
  std::vector<ChakraNode> nodes;  // in the file's order
};

// The traces of all ranks, which are numbered from 0.
struct ChakraGraph {
  std::vector<ChakraRank> ranks;
  std::map<std::string, std::vector<std::uint32_t>>
      groups;  // ranks by name of a group, as comm_group.json lists them
};

// Returns whether the folder has files NAME.RANK.et.
bool is_chakra_folder(const std::filesystem::path& folder);

// Reads these files, and comm_group.json if it is there (ASTRA-sim's: `{"0": [0, 1]}`). Throws InputError with the file and
// the node, or the byte, for: missing and duplicate ranks, files that end early or are no such traces, unknown types,
// duplicate ids, dependencies that are no nodes, sends without a peer, and folders of more than a few gigabytes.
ChakraGraph read_chakra(const std::filesystem::path& folder);

}  // namespace a3sim
