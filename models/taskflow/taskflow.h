#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/shape.h"
#include "models/worker_kinds.h"
#include "sim/core/ids.h"

// The plain structures of a compiled taskflow: as they stand in memory, so they stand in a schedule file.
namespace a3sim {

// How the rows of a tensor are laid out; what "row 17" means.
enum class Layout : std::uint8_t {
  kPlain,     // rows x cols, no experts
  kTokens,    // the rank's own tokens in order
  kSent,      // rows to send (or returned): by global expert, then token
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

// The kernel that runs a task, by its number in the public multicore runtime. Operators bring their own
// (Operator::task_type); the compiler and the runtime know these two.
enum class TaskType : std::uint16_t {
  kPutMemSignal = 105,
  kJoin = 200,
};

// Flags of a region.
inline constexpr std::uint32_t kMetadata = 1;  // offsets and sizes: waited for by nobody, weighs nothing

// One operand of a task: rows of a tensor in one rank's memory. Rows count the capacity of the
// shape bucket; a run maps them to the rows that its routing really has (RowLayout::pack).
// With shares > 1 it is the set of base blocks b = share (mod shares) of the block grid laid
// over those rows: over the real ones in a run. In the sent and received layouts real rows lie
// elsewhere than capacity rows, so a reader of some rows waits for all shares.
struct Region {
  std::uint32_t tensor;  // TensorId
  std::uint32_t rank;    // whose memory; a put's output lies on the destination
  std::uint32_t row_begin, row_end;
  std::uint16_t share, shares;
  std::uint32_t flags;

  constexpr Rows rows() const { return {row_begin, row_end}; }
};
static_assert(sizeof(Region) == 24 && std::is_trivially_copyable_v<Region>);

// A task descriptor (TD). Its regions stand in the schedule's region table: inputs, then outputs.
// It waits until dependent_event has reached its threshold, runs, then counts one into trigger_event.
struct TaskDescriptor {
  std::uint16_t task_type;  // TaskType
  std::uint8_t queue_type;  // its queue, by number: WorkerKinds
  std::uint8_t worker_set;  // which workers of the queue may run it
  std::uint16_t op;         // OpId
  std::uint8_t num_inputs, num_outputs;
  std::uint32_t dependent_event;       // EventId on this rank, or kNone
  std::uint32_t trigger_event;         // EventId on trigger_rank; every task triggers one
  std::uint32_t trigger_rank;          // RankId
  std::uint32_t first_region;          // inputs, then outputs, in the region table
  std::uint32_t task_index;            // among the operator's tasks on this rank
  std::uint32_t task_split_num;        // how many tasks the operator has on this rank
  std::uint32_t task_split_value;      // rows a task is cut to, or those of the tile that shares split
  std::uint32_t tiling_data_position;  // into the tiling table, or kNone

  // What orders sort by, beside the above (scheduler/orders/order_keys.h).
  std::uint16_t stage;     // longest path from a source operator, in operators
  std::uint16_t expert;    // local index, kNoExpert where the task is not of one expert
  std::uint32_t gexpert;   // global index, kNone where the task is not of one expert
  std::uint32_t src, dst;  // ranks that rows come from and go to; this rank for local work
  std::uint32_t row;       // first row of the first output, in its tensor
  std::uint32_t tile;      // share, row tile or chunk within its expert and partition
  std::uint32_t chunk;     // puts: chunk within (source, expert); else 0
};
inline constexpr std::uint16_t kNoExpert = 0xffff;
static_assert(sizeof(TaskDescriptor) == 68 && std::is_trivially_copyable_v<TaskDescriptor>);
static_assert(std::endian::native == std::endian::little, "schedules are mapped as they stand in memory");

struct EventDescriptor {
  std::uint32_t threshold;  // number of triggers that it takes
  std::uint32_t done;       // 1: nobody waits for it; the rank's tasks without consumers count into it
};

// In which order the base blocks of an output are numbered.
enum class BlockOrder : std::uint8_t {
  kRowMajor,
  // The public grouped_matmul's: bands of 8 block rows, in them windows of 8 block columns, in them
  // diagonals; row-major with up to 5 block rows.
  kDiagonal,
  kColumnMajor
};
constexpr auto names_of(BlockOrder) {
  return std::to_array<std::string_view>({"row_major", "diagonal", "column_major"});
}

// Whether the way of a block's result out of L0C overlaps the next block's products: the unit flag of the
// cube. The public grouped matmul sets it unless A is transposed, as it is for gradients of weights.
enum class UnitFlag : std::uint8_t { kOff, kOn, kUnlessTransposed };
constexpr auto names_of(UnitFlag) {
  return std::to_array<std::string_view>({"off", "on", "unless_transposed"});
}

// The blocks that a matrix operator cuts its output into, the steps it loads K in, and how many buffers each
// stage of its pipeline has. The defaults are what the public runtime uses for the paper's shapes.
struct Tiling {
  std::uint16_t base_m = 128, base_n = 256, base_k = 64;
  std::uint16_t step_k = 4;  // base_k blocks of one operand that one load to L1 brings
  std::uint8_t l1_buffers = 2, l0_buffers = 2, l0c_buffers = 1;  // 1 or 2
  BlockOrder order = BlockOrder::kDiagonal;
  UnitFlag unit_flag = UnitFlag::kUnlessTransposed;
  // Shares as regions of the output, grid_m down by grid_n across, each of whole blocks; 0: dealt in turn.
  std::uint8_t grid_m = 0, grid_n = 0;
  std::uint8_t unused = 0;
  friend bool operator==(const Tiling&, const Tiling&) = default;
};
static_assert(sizeof(Tiling) == 16);

// A tensor of one rank. Rows are those of the bucket's capacity on that rank.
struct TensorInfo {
  std::string name;
  Layout layout = Layout::kPlain;
  DataType dtype = DataType::kBf16;
  std::uint32_t rows = 0, cols = 0;
  bool external = false;  // given from outside: complete before the first task

  std::uint64_t row_bytes() const { return std::uint64_t{cols} * element_bytes(dtype); }
  std::uint64_t bytes() const { return rows * row_bytes(); }
};

// An operator of the graph as its tasks refer to it.
struct OperatorInfo {
  std::string name;  // GMM1
  std::string type;  // the registered operator: GroupedMatmul
  std::uint32_t stage = 0;
  bool transposed = false;  // matrix operators: the weights are read as [N x K]
  std::vector<TensorId> inputs, outputs;
};

}  // namespace a3sim
