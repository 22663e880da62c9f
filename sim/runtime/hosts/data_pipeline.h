#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runtime/hosts/host_options.h"

namespace a3sim {

// The batches of a rank on their way from storage to its device: three stages in tandem, with a queue of a limited
// number of batches behind each. A stage whose queue is full keeps its batch and begins no other (blocking after
// service). Batches are taken in order; dates are since the start of the job.
class DataPipeline {
 public:
  // A stage's work on a batch, and when the batch left it.
  struct Stage {
    Duration start{}, end{}, left{};
  };
  using Batch = std::array<Stage, 3>;  // read, processed, fetched
  // How a batch is made, by its number.
  using Options = std::function<DataOptions(std::uint32_t batch)>;

  // The next batch that was not taken: it may be from its last stage's end on.
  const Batch& next(const Options& options);
  // It is taken at this date.
  void take(Duration date);
  // In percent: how full the queue behind each stage is at a date not after the next take.
  std::array<std::uint8_t, 3> fill(const Options& options, Duration date) const;

 private:
  static Batch made(const std::vector<Batch>& batches, const std::vector<Duration>& taken,
                    const DataOptions& of);

  std::vector<Batch> batches_;   // from batch number forgotten_ on
  std::vector<Duration> taken_;  // likewise
  std::uint32_t forgotten_ = 0;
};

}  // namespace a3sim
