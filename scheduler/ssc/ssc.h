#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/taskflow/taskflow.h"

namespace a3sim {

enum class Assignment : std::uint8_t {
  kCyclic,  // task i of a worker set goes to worker i mod its size, in order
  kShared   // workers take from one atomic head
};
constexpr auto names_of(Assignment) { return std::to_array<std::string_view>({"cyclic", "shared"}); }

// Workers [first, first + count) of a queue.
struct WorkerSet {
  std::uint32_t queue_type;  // number of the queue: WorkerKinds
  std::uint32_t first, count;
  friend bool operator==(const WorkerSet&, const WorkerSet&) = default;
};

inline constexpr std::uint32_t kSscVersion = 1;

// The parts of a schedule, to build one from or to take one apart into.
struct SscParts {
  MoeShape shape;
  RankId rank{};
  std::vector<std::uint32_t> sent_capacity, received_capacity;
  std::string graph, order;
  Assignment assignment = Assignment::kCyclic;
  WorkerKinds kinds;  // kinds of workers that run it, with their counts
  std::vector<TensorInfo> tensors;
  std::vector<OperatorInfo> operators;
  std::vector<Tiling> tilings;
  std::vector<TaskDescriptor> tasks;
  std::vector<Region> regions;
  std::vector<EventDescriptor> events;
  std::vector<WorkerSet> worker_sets;
  std::vector<std::vector<std::uint32_t>> queues;  // one list of task indices per kind
};

// The static schedule of one rank (SSC). Immutable. Its large tables are read in place, in the file's mapping
// or the builder's buffer, so opening one is cheap. Copies share the bytes.
class Ssc {
 public:
  // Serialises parts. Equal parts give equal bytes. Throws InputError for parts that are not sound (see
  // open()), so that every Ssc can be indexed without further checks.
  static Ssc build(const SscParts& parts);
  // Returns the contents of a file: bytes(), followed by their checksum.
  std::string file_contents() const;
  // Maps such a file. Throws InputError with the file's name unless it has this format and version, its
  // checksum is correct, and it is sound: every index is within its table, every local region within its
  // tensor, each task is once in its queue, thresholds can be reached, and (operator, task index) is unique.
  // verify() checks whether the numbers are consistent with each other.
  static Ssc open(const std::filesystem::path& path);
  // Takes the bytes of a schedule, as bytes() returns them. Error messages use `name`.
  static Ssc from_buffer(std::vector<std::uint8_t> bytes, const std::string& name);

  // Returns a text form with every field, one item per line. from_text(to_text()) gives the same bytes.
  std::string to_text() const;
  // Reads the text form. Throws InputError with name:line.
  static Ssc from_text(std::string_view text, const std::string& name);

  const MoeShape& shape() const;
  RankId rank() const;
  std::span<const std::uint32_t> sent_capacity() const;
  std::span<const std::uint32_t> received_capacity() const;
  const std::string& graph() const;
  const std::string& order() const;
  Assignment assignment() const;
  const WorkerKinds& kinds() const;
  std::uint32_t workers(std::uint32_t queue) const { return kinds()[queue].count; }
  std::span<const TensorInfo> tensors() const;
  std::span<const OperatorInfo> operators() const;
  std::span<const Tiling> tilings() const;
  std::span<const TaskDescriptor> tasks() const;
  std::span<const Region> regions() const;
  std::span<const EventDescriptor> events() const;
  std::span<const WorkerSet> worker_sets() const;
  std::uint32_t queues() const { return kinds().size(); }
  std::span<const std::uint32_t> queue(std::uint32_t queue) const;
  std::span<const std::uint8_t> bytes() const;

  std::span<const Region> inputs(const TaskDescriptor& td) const {
    return regions().subspan(td.first_region, td.num_inputs);
  }
  std::span<const Region> outputs(const TaskDescriptor& td) const {
    return regions().subspan(td.first_region + td.num_inputs, td.num_outputs);
  }

 private:
  struct Body;
  explicit Ssc(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  static std::shared_ptr<Body> encode(const SscParts& parts);  // bytes only
  static Ssc decoded(std::shared_ptr<Body> body, const std::string& name);
  static Ssc sound(std::shared_ptr<const Body> body, const std::string& name);
  std::shared_ptr<const Body> body_;
};

// The schedules of all ranks for one graph, by rank.
using Schedule = std::vector<Ssc>;

}  // namespace a3sim
