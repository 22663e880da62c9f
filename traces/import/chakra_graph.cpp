#include "traces/import/chakra_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <unordered_set>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "traces/import/profile.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using protozero::pbf_reader;

constexpr std::size_t kMostBytes = std::size_t{4} << 30, kMostNodes = 20'000'000, kMostChakraRanks = 4096;
constexpr std::string_view kSuffix = ".et";

// Returns the rank of NAME.RANK.et.
std::optional<std::uint32_t> rank_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(kSuffix)) return {};
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kSuffix.size());
  const std::size_t dot = stem.rfind('.');
  const std::string_view number = stem.substr(dot == std::string_view::npos ? 0 : dot + 1);
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (error != std::errc() || end != number.data() + number.size()) return {};
  return rank;
}

// An attribute's value, of whatever type it has.
struct AttributeValue {
  double number = 0;
  std::string text;
};

AttributeValue value_of(pbf_reader& attribute) {
  AttributeValue value;
  switch (attribute.tag()) {
    case chakra::kDouble:
      value.number = attribute.get_double();
      break;
    case chakra::kFloat:
      value.number = attribute.get_float();
      break;
    case chakra::kInt32:
      value.number = attribute.get_int32();
      break;
    case chakra::kInt64:
      value.number = static_cast<double>(attribute.get_int64());
      break;
    case chakra::kUint32:
      value.number = attribute.get_uint32();
      break;
    case chakra::kUint64:
      value.number = static_cast<double>(attribute.get_uint64());
      break;
    case chakra::kSint32:
      value.number = attribute.get_sint32();
      break;
    case chakra::kSint64:
      value.number = static_cast<double>(attribute.get_sint64());
      break;
    case chakra::kFixed32:
      value.number = attribute.get_fixed32();
      break;
    case chakra::kFixed64:
      value.number = static_cast<double>(attribute.get_fixed64());
      break;
    case chakra::kSfixed32:
      value.number = attribute.get_sfixed32();
      break;
    case chakra::kSfixed64:
      value.number = static_cast<double>(attribute.get_sfixed64());
      break;
    case chakra::kBool:
      value.number = attribute.get_bool() ? 1 : 0;
      break;
    case chakra::kString:
      value.text = attribute.get_string();
      break;
    default:
      attribute.skip();  // documentation, and lists
  }
  return value;
}

// Reads the nodes of one rank.
class RankReader {
 public:
  RankReader(std::string file, std::string_view bytes) : bytes_(bytes) { rank_.file = std::move(file); }

  ChakraRank read() {
    try {
      if (bytes_.empty()) refuse("it is empty, expected an execution trace of Chakra");
      static_cast<void>(next_message());  // the metadata
      while (at_ < bytes_.size()) add(next_message());
    } catch (const protozero::exception&) {
      refuse(fmt::format(
          "the message at byte {} is none of et_def.proto: expected an execution trace of Chakra, "
          "unpacked, of a version with a length before each message",
          message_));
    }
    check_ids();
    return std::move(rank_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("{}: {}", rank_.file, why));
  }
  [[noreturn]] void refuse(const ChakraNode& node, const std::string& why) const {
    throw InputError(fmt::format("{}: node {} ('{}'): {}", rank_.file, node.id, printable(node.name), why));
  }

  pbf_reader next_message() {
    message_ = at_;
    const char* data = bytes_.data() + at_;
    const char* const end = bytes_.data() + bytes_.size();
    std::uint64_t length = 0;
    try {
      length = protozero::decode_varint(&data, end);
    } catch (const protozero::end_of_buffer_exception&) {
      cut_off();
    }
    if (length > static_cast<std::uint64_t>(end - data)) cut_off();
    at_ = static_cast<std::size_t>(data - bytes_.data()) + length;
    return {data, static_cast<std::size_t>(length)};
  }
  [[noreturn]] void cut_off() const {
    refuse(fmt::format(
        "it ends within the message at byte {}: it was cut off, or is no trace of Chakra; write or copy it "
        "again",
        message_));
  }

  void add(pbf_reader message) {
    if (rank_.nodes.size() == kMostNodes) refuse(fmt::format("more than {} nodes", kMostNodes));
    ChakraNode node;
    std::uint64_t type = 0;
    while (message.next()) {
      switch (message.tag()) {
        case chakra::kId:
          node.id = message.get_uint64();
          break;
        case chakra::kName:
          node.name = message.get_string();
          break;
        case chakra::kType:
          type = static_cast<std::uint64_t>(message.get_enum());
          break;
        case chakra::kControlDependencies:
        case chakra::kDataDependencies:
          add_dependencies(message, node);
          break;
        case chakra::kStartMicros:
          node.start = message.get_uint64();
          break;
        case chakra::kDurationMicros:
          node.duration = micros(node, message.get_uint64());
          break;
        case chakra::kAttribute:
          read_attribute(node, message.get_message());
          break;
        default:
          message.skip();
      }
    }
    if (type >= kCountOf<ChakraType>)
      refuse(node,
             fmt::format("type {}, expected one of et_def.proto's, 0 to {}", type, kCountOf<ChakraType> - 1));
    node.type = static_cast<ChakraType>(type);
    rank_.nodes.push_back(std::move(node));
  }

  static void add_dependencies(pbf_reader& message, ChakraNode& node) {
    if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
      for (const std::uint64_t id : message.get_packed_uint64()) node.after.push_back(id);
    } else {
      node.after.push_back(message.get_uint64());
    }
  }

  Duration micros(const ChakraNode& node, std::uint64_t count) const {
    constexpr std::uint64_t kMost = 1'000'000'000'000;  // 11 days
    if (count > kMost) refuse(node, fmt::format("it takes {} us, expected at most {}", count, kMost));
    return Duration(static_cast<std::int64_t>(count) * 1'000'000);
  }

  void read_attribute(ChakraNode& node, pbf_reader attribute) const {
    std::string name;
    AttributeValue value;
    while (attribute.next()) {
      if (attribute.tag() == chakra::kAttributeName)
        name = attribute.get_string();
      else
        value = value_of(attribute);
    }
    const auto whole = [&]() -> std::uint64_t {
      constexpr double kMost = 1e18;
      if (!(value.number >= 0) || value.number > kMost)
        refuse(node, fmt::format("{} is {}, expected a number from 0", printable(name), value.number));
      return static_cast<std::uint64_t>(value.number);
    };
    const auto small = [&] {
      const std::uint64_t number = whole();
      if (number >= kNone) refuse(node, fmt::format("{} is {}, expected less", printable(name), number));
      return static_cast<std::uint32_t>(number);
    };
    if (name == "is_cpu_op") node.on_host = whole() != 0;
    if (name == "num_ops") node.operations = whole();
    if (name == "tensor_size") node.tensor_bytes = whole();
    if (name == "comm_size") node.bytes = whole();
    if (name == "comm_tag") node.tag = small();
    if (name == "pg_name" || name == "comm_group")
      node.group = value.text.empty() ? fmt::format("{}", whole()) : value.text;
    if (name == "comm_dst") node.destination = small();
    if (name == "comm_src") node.source = small();
    if (name == "comm_type") {
      const std::uint64_t kind = whole();
      if (kind >= kCountOf<ChakraCollective>)
        refuse(node, fmt::format("comm_type {}, expected 0 to {}", kind, kCountOf<ChakraCollective> - 1));
      node.collective = static_cast<ChakraCollective>(kind);
    }
  }

  void check_ids() {
    std::unordered_set<std::uint64_t> ids;
    for (const ChakraNode& node : rank_.nodes)
      if (!ids.insert(node.id).second) refuse(node, "there is another node of this id");
    for (ChakraNode& node : rank_.nodes) {
      std::ranges::sort(node.after);
      node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
      for (const std::uint64_t id : node.after)
        if (!ids.contains(id)) refuse(node, fmt::format("it waits for node {}, which the file has not", id));
      const bool sends = node.type == ChakraType::kSend, receives = node.type == ChakraType::kReceive;
      if (!sends && !receives) continue;
      if ((sends ? node.destination : node.source) == kNone)
        refuse(node, sends ? "a send without comm_dst" : "a receive without comm_src");
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0, message_ = 0;
  ChakraRank rank_;
};

std::map<std::string, std::vector<std::uint32_t>> read_groups(const fs::path& file, std::size_t ranks) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  std::error_code error;
  if (!fs::exists(file, error)) return groups;
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: {}, expected groups as {{\"0\": [0, 1]}}", file.string(), why));
  };
  const nlohmann::json json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object()) refuse("no JSON object");
  for (const auto& [name, list] : json.items()) {
    if (!list.is_array() || list.empty()) refuse(fmt::format("group '{}' is no list", printable(name)));
    std::vector<std::uint32_t>& group = groups[name];
    for (const nlohmann::json& rank : list) {
      if (!rank.is_number_integer() || rank < 0 || rank >= ranks)
        refuse(fmt::format("group '{}' has rank {} of {}", printable(name), rank.dump(), ranks));
      group.push_back(rank.get<std::uint32_t>());
    }
    std::ranges::sort(group);
    if (std::ranges::adjacent_find(group) != group.end())
      refuse(fmt::format("group '{}' has a rank twice", printable(name)));
  }
  return groups;
}

}  // namespace

bool is_chakra_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (rank_of(entry.path())) return true;
  return false;
}

ChakraGraph read_chakra(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(
        fmt::format("{}: no such folder, expected one with NAME.RANK.et for each rank", folder.string()));
  std::map<std::uint32_t, fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<std::uint32_t> rank = rank_of(entry.path());
    if (!rank) continue;
    const auto [at, is_new] = files.try_emplace(*rank, entry.path());
    if (!is_new)
      throw InputError(fmt::format("{} and {} are both of rank {}: keep one workload in a folder",
                                   std::min(at->second, entry.path()).string(),
                                   std::max(at->second, entry.path()).filename().string(), *rank));
  }
  if (files.empty())
    throw InputError(fmt::format("{}: no file NAME.RANK.et, expected one for each rank", folder.string()));
  if (files.size() > kMostChakraRanks)
    throw InputError(
        fmt::format("{}: {} ranks, expected at most {}", folder.string(), files.size(), kMostChakraRanks));
  ChakraGraph graph;
  std::size_t bytes = 0;
  for (const auto& [rank, file] : files) {
    if (rank != graph.ranks.size())
      throw InputError(
          fmt::format("{}: there is no file of rank {}, and one of rank {}: expected ranks from 0 on",
                      folder.string(), graph.ranks.size(), rank));
    const std::string text = read_file(file, kMostBytes - bytes);
    bytes += text.size();
    graph.ranks.push_back(RankReader(file.string(), text).read());
  }
  graph.groups = read_groups(folder / "comm_group.json", graph.ranks.size());
  return graph;
}

}  // namespace a3sim
