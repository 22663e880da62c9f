#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runtime/hosts/host_options.h"

namespace a3sim {

// The batches of a rank on their way from storage to its device: three stages in tandem, each followed by a
// queue of limited length. A stage whose queue is full keeps its batch and begins no other (blocking after
// service). Batches are taken in order. Times count from the start of the job.
class DataPipeline {
 public:
  // The work of a stage on a batch, and when the batch left it.
  struct Stage {
    Duration start{}, end{}, left{};
  };
  using Batch = std::array<Stage, 3>;  // read, processed, fetched
  // Returns how a batch is made, by its number.
  using Options = std::function<DataOptions(std::uint32_t batch)>;

  // Returns the next batch that was not taken. It may be taken from the end of its last stage on.
  const Batch& next(const Options& options);
  // Takes the next batch at `time`.
  void take(Duration time);
  // Returns, in percent, how full the queue after each stage is at a time not after the next take.
  std::array<std::uint8_t, 3> fill(const Options& options, Duration time) const;

 private:
  static Batch made(const std::vector<Batch>& batches, const std::vector<Duration>& taken,
                    const DataOptions& options);

  std::vector<Batch> batches_;   // from batch number forgotten_ on
  std::vector<Duration> taken_;  // from batch number forgotten_ on
  std::uint32_t forgotten_ = 0;
};

}  // namespace a3sim
