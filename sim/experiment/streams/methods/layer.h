#pragma once

#include <cstdint>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"
#include "sim/device/kernel_cost.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// The names of the kernels of all methods' programs. Results refer to kernels by these names.
struct KernelName {
  static constexpr const char *kCounts = "Counts", *kPlan = "Plan", *kDispatch = "Dispatch",
                              *kPermute = "Permute", *kGmm1 = "GMM1", *kSwiglu = "SwiGLU", *kGmm2 = "GMM2",
                              *kGrad1 = "GMM1_grad", *kGrad2 = "GMM2_grad", *kUnpermute = "Unpermute",
                              *kCombine = "Combine", *kWeights = "Weights", *kRows = "Rows",
                              *kReturn = "Return", *kGradients = "Gradients", *kAdd = "Add";
};

// One task per rank, by its number in the program.
using Each = std::vector<std::uint32_t>;

// The bytes that each rank sends to each rank, including itself.
class ExchangedBytes {
 public:
  explicit ExchangedBytes(std::uint32_t ranks) : ranks_(ranks), bytes_(std::size_t{ranks} * ranks, 0) {}
  double& at(std::uint32_t src, std::uint32_t dst) { return bytes_[std::size_t{src} * ranks_ + dst]; }
  double at(std::uint32_t src, std::uint32_t dst) const { return bytes_[std::size_t{src} * ranks_ + dst]; }
  double sent(std::uint32_t rank) const;
  double received(std::uint32_t rank) const;
  ExchangedBytes back() const;

 private:
  std::uint32_t ranks_;
  std::vector<double> bytes_;
};

// The rows of an expert, from all ranks' tokens or from those of one rank.
struct ExpertRows {
  std::uint32_t expert = 0, rows = 0;
  std::uint32_t source = kNone;
};
using RowsByExpert = std::vector<ExpertRows>;
double sum_of(const RowsByExpert& rows);
std::vector<std::uint32_t> counts_of(const RowsByExpert& rows);

// Describes how the framework that runs a layer calls its kernels.
struct Framework {
  // Streams that products of experts are dealt to, one kernel each; 0: one kernel has all.
  std::uint32_t streams = 0;
  std::uint32_t calls = 0;  // operators of a forward pass, apart from products, that the device waits for
};

// Writes the program of one pass of a MoE layer over a group. Holds what all methods share.
class Layer {
 public:
  // The streams of a rank. Threads of the host are streams too.
  enum Stream : std::uint32_t { kHost, kPlanner, kCompute, kBulk, kWeightCopies, kRowCopies, kReturns };

  // All arguments must outlive the layer.
  Layer(const MoeShape& shape, const Hardware& hardware, KernelCost& cost, const Framework& framework = {});

  // Adds the host's counting on each rank, from the start.
  Each counts();
  // An exchange among all ranks, for these experts. It begins on all ranks together after all tasks in
  // `after`.
  struct Exchange {
    const char* name = "";
    const ExchangedBytes& bytes;
    std::vector<std::uint32_t> experts;
    BytesPerSecond rate{};
    std::uint32_t workers = 0;  // 0: as many as dispatch takes
  };
  Each exchange(const Exchange& exchange, const Each& after);
  // permute() gathers tokens, each of which came to the rank once, into rows by expert; unpermute() sums rows
  // to tokens. A rank's first permute() waits for the framework's calls apart from products, twice as many in
  // backward.
  std::uint32_t permute(std::uint32_t rank, bool forward, double tokens, const RowsByExpert& rows,
                        const Each& after);
  std::uint32_t unpermute(std::uint32_t rank, const RowsByExpert& rows, double tokens, const Each& after);
  // Adds the sum of so many bytes of partial sums into the rank's tokens.
  std::uint32_t sum(std::uint32_t rank, const RowsByExpert& rows, double bytes, const Each& after) {
    return vector(KernelName::kUnpermute, rank, {bytes, shape_.tokens * row_bytes(), {}}, rows, after);
  }
  // Adds the forward products of experts. Leaves out experts without rows.
  std::uint32_t forward(std::uint32_t rank, const RowsByExpert& rows, const Each& after);
  // Adds the backward products: gradients of activations and of weights.
  std::uint32_t backward(std::uint32_t rank, const RowsByExpert& rows, const Each& after);
  // A copy by a copy engine, for the expert of these rows.
  struct Copy {
    const char* name = "";
    Stream stream = kWeightCopies;
    std::uint32_t from = 0, to = 0;
    double bytes = 0;
    ExpertRows expert_rows;
  };
  std::uint32_t copy(const Copy& copy, const Each& after);
  // Adds the kernel that adds received gradients to an expert's own.
  std::uint32_t add(std::uint32_t rank, const ExpertRows& expert_rows, const VectorKernel& kernel,
                    const Each& after) {
    return vector(KernelName::kAdd, rank, kernel, {expert_rows}, after);
  }
  // Adds work of a host thread.
  std::uint32_t host(const char* name, Stream thread, std::uint32_t rank, Duration time, const Each& after);
  // A kernel of products, for which the host prepares `launches` of them.
  struct Products {
    const char* name = "";
    MemoryJob job;
    double macs = 0;
    std::size_t launches = 1;
  };
  std::uint32_t launched(const Products& products, std::uint32_t rank, const RowsByExpert& rows,
                         const Each& after);
  // Adds one or several kernels of products, n wide, with inner dimension k.
  std::uint32_t products(const char* name, std::uint32_t rank, const RowsByExpert& rows, std::uint32_t n,
                         std::uint32_t k, const Each& after);
  std::uint32_t gradients(const char* name, std::uint32_t rank, const RowsByExpert& rows, std::uint32_t n,
                          std::uint32_t k, const Each& after);
  std::uint32_t swiglu(std::uint32_t rank, const RowsByExpert& rows, double width, const Each& after);

  // Sets how many workers products and vector kernels leave to dispatch and combine from now on.
  void spare(std::uint32_t workers) { spared_ = workers; }

  // Returns the workers for products. Dispatch and combine hold vector workers; on some devices products run
  // on the same workers.
  std::uint32_t matrix_workers() const {
    return hardware_.workers.count(CoreUnit::kMatrix) - (hardware_.workers.one_queue() ? spared_ : 0);
  }

  const MoeShape& shape() const { return shape_; }
  const Hardware& hardware() const { return hardware_; }
  const Hardware::CopyEngine& copy_engine() const { return *hardware_.copy_engine; }
  const Program::Host& host() const { return *cost_.program().host; }
  const Program::Bulk& bulk() const { return *cost_.program().bulk; }
  KernelCost& cost() const { return cost_; }
  double row_bytes() const { return 2.0 * shape_.hidden; }
  double weight_bytes() const { return 2.0 * 3 * shape_.hidden * shape_.intermediate; }
  StreamProgram program;
  std::vector<RowsByExpert> rows;  // one entry per task of the program: the rows that it computes or moves

 private:
  std::uint32_t vector(const char* name, std::uint32_t rank, const VectorKernel& kernel,
                       const RowsByExpert& task_rows, const Each& after);
  std::uint32_t add_task(StreamTask task, RowsByExpert task_rows);
  std::uint32_t vector_workers() const { return hardware_.workers.count(CoreUnit::kVector) - spared_; }
  StreamTask task(const char* name, std::uint32_t rank, std::uint32_t stream, const Each& after) const;

  std::uint32_t engine_kind_ = 0, thread_kind_ = 0;  // after the device's kinds of worker
  const MoeShape& shape_;
  const Hardware& hardware_;
  KernelCost& cost_;
  Framework framework_;
  std::vector<bool> called_;  // one entry per rank: its framework's calls have been waited for
  std::uint32_t spared_ = 0;
};

}  // namespace a3sim
