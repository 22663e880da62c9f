#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/shape.h"
#include "models/worker_kinds.h"
#include "sim/core/ids.h"

// The plain structures of a compiled taskflow. A schedule file holds them as they are in memory.
namespace a3sim {

// The layout of a tensor's rows: the meaning of "row 17".
enum class Layout : std::uint8_t {
  kPlain,     // rows x cols, no experts
  kTokens,    // the rank's own tokens in order
  kSent,      // rows to send (or that return): by global expert, then token
  kReceived,  // rows received: by local expert, then source rank, then token
  kWeights    // local experts x K rows of N columns
};
constexpr auto names_of(Layout) {
  return std::to_array<std::string_view>({"plain", "tokens", "sent", "received", "weights"});
}

// A half-open range of rows.
struct Rows {
  std::uint32_t begin = 0, end = 0;
  constexpr std::uint32_t size() const { return end - begin; }
  constexpr bool empty() const { return begin == end; }
  friend constexpr bool operator==(Rows, Rows) = default;
};

// The kernel that runs a task, by its number in the public multicore runtime. Operators define their own
// numbers (Operator::task_type); the compiler and the runtime know these two.
enum class TaskType : std::uint16_t {
  kPutMemSignal = 105,
  kJoin = 200,
};

// Flags of a region.
// Offsets and sizes: no task waits for them, and they have no weight.
inline constexpr std::uint32_t kMetadata = 1;
// A held start: the task waits for these rows, and does not read them.
inline constexpr std::uint32_t kHold = 2;

// One operand of a task: rows of a tensor in one rank's memory, counted in the capacity of the shape bucket.
// A run maps them to real rows (RowLayout::pack). With shares > 1 the operand is the set of base blocks b =
// share (mod shares) of the block grid over the real rows. In the sent and received layouts real rows are not
// where the capacity rows are, so a reader of some rows waits for all shares.
struct Region {
  std::uint32_t tensor;  // TensorId
  std::uint32_t rank;    // rank whose memory holds it; a put's output is on the destination
  std::uint32_t row_begin, row_end;
  std::uint16_t share, shares;
  std::uint32_t flags;

  constexpr Rows rows() const { return {row_begin, row_end}; }
};
static_assert(sizeof(Region) == 24 && std::is_trivially_copyable_v<Region>);

// Returns the inputs that a task reads. Those that only hold its start follow them.
constexpr std::span<const Region> read_by(std::span<const Region> inputs) {
  while (!inputs.empty() && (inputs.back().flags & kHold)) inputs = inputs.first(inputs.size() - 1);
  return inputs;
}

// A task descriptor (TD). Its regions are in the schedule's region table: inputs, then outputs. The task
// waits until dependent_event has reached its threshold, runs, then adds one to trigger_event.
struct TaskDescriptor {
  std::uint16_t task_type;  // TaskType
  std::uint8_t queue_type;  // number of its queue: WorkerKinds
  std::uint8_t worker_set;  // index of the set of workers that may run it
  std::uint16_t op;         // OpId
  std::uint8_t num_inputs, num_outputs;
  std::uint32_t dependent_event;       // EventId on this rank, or kNone
  std::uint32_t trigger_event;         // EventId on trigger_rank; every task triggers one
  std::uint32_t trigger_rank;          // RankId
  std::uint32_t first_region;          // inputs, then outputs, in the region table
  std::uint32_t task_index;            // among the operator's tasks on this rank
  std::uint32_t task_split_num;        // number of the operator's tasks on this rank
  std::uint32_t task_split_value;      // rows per task, or per tile that shares divide
  std::uint32_t tiling_data_position;  // index in the tiling table, or kNone

  // Further keys for orders (scheduler/orders/order_keys.h).
  std::uint16_t stage;     // longest path from a source operator, in operators
  std::uint16_t expert;    // local index, or kNoExpert
  std::uint32_t gexpert;   // global index, or kNone
  std::uint32_t src, dst;  // ranks that rows come from and go to; this rank for local work
  std::uint32_t row;       // first row of the first output, in its tensor
  std::uint32_t tile;      // share, row tile or chunk within its expert and partition
  std::uint32_t chunk;     // puts: chunk within (source, expert); else 0
};
inline constexpr std::uint16_t kNoExpert = 0xffff;
static_assert(sizeof(TaskDescriptor) == 68 && std::is_trivially_copyable_v<TaskDescriptor>);
static_assert(std::endian::native == std::endian::little, "schedules are mapped as they stand in memory");

struct EventDescriptor {
  std::uint32_t threshold;  // number of triggers to wait for
  std::uint32_t done;       // 1: no task waits for it; tasks without consumers trigger it
};

// The order in which the base blocks of an output are numbered.
enum class BlockOrder : std::uint8_t {
  kRowMajor,
  // The order of the public grouped_matmul: bands of 8 block rows; in each, windows of 8 block columns; in
  // each, diagonals. Row-major with up to 5 block rows.
  kDiagonal,
  kColumnMajor,
  // Strips of `Tiling::strip` block columns, row by row; every second strip begins with its last row.
  kStrips
};
constexpr auto names_of(BlockOrder) {
  return std::to_array<std::string_view>({"row_major", "diagonal", "column_major", "strips"});
}

// The unit flag of the cube: if set, moving a block's result out of L0C overlaps the next block's products.
// The public grouped matmul sets it unless A is transposed, as it is for weight gradients.
enum class UnitFlag : std::uint8_t { kOff, kOn, kUnlessTransposed };
constexpr auto names_of(UnitFlag) {
  return std::to_array<std::string_view>({"off", "on", "unless_transposed"});
}

inline constexpr std::uint8_t kUsualStrip = 9, kMostStrip = 63;

// The blocks of a matrix operator's output, the steps in which it loads K, and the number of buffers in each
// stage of its pipeline. The defaults are those of the public runtime for the paper's shapes.
struct Tiling {
  std::uint16_t base_m = 128, base_n = 256, base_k = 64;
  std::uint16_t step_k = 4;  // base_k blocks of an operand that one load brings to L1
  std::uint8_t l1_buffers = 2, l0_buffers = 2, l0c_buffers = 1;  // 1 or 2
  BlockOrder order = BlockOrder::kDiagonal;
  UnitFlag unit_flag = UnitFlag::kUnlessTransposed;
  // If not 0, shares are regions of the output, grid_m down by grid_n across, each of whole blocks; otherwise
  // blocks are dealt to shares in turn.
  std::uint8_t grid_m = 0, grid_n = 0;
  std::uint8_t strip : 6 = kUsualStrip;  // block columns of a strip
  // A task that immediately follows another one of its operator has already loaded its first blocks.
  std::uint8_t loads_ahead : 1 = 0;
  // Every core begins K at a different step and wraps around, so that no two load the same lines together.
  std::uint8_t rotate_k : 1 = 0;
  friend bool operator==(const Tiling&, const Tiling&) = default;
};
static_assert(sizeof(Tiling) == 16);

// A tensor of one rank. Its rows are the bucket's capacity on that rank.
struct TensorInfo {
  std::string name;
  Layout layout = Layout::kPlain;
  DataType dtype = DataType::kBf16;
  std::uint32_t rows = 0, cols = 0;
  bool external = false;  // written from outside, complete before the first task

  std::uint64_t row_bytes() const { return bytes_of(dtype, cols); }
  // Returns the bytes from one row's elements to the next's. Scales are elsewhere.
  std::uint32_t pitch() const {
    return static_cast<std::uint32_t>((std::uint64_t{cols} * element_bits(dtype) + 7) / 8);
  }
  std::uint64_t bytes() const { return rows * row_bytes(); }
};

// An operator of the graph, as its tasks refer to it.
struct OperatorInfo {
  std::string name;  // GMM1
  std::string type;  // the registered operator: GroupedMatmul
  std::uint32_t stage = 0;
  bool transposed = false;  // matrix operators: weights are read as [N x K]
  std::vector<TensorId> inputs, outputs;
};

}  // namespace a3sim
