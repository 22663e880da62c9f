#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/registry.h"
#include "traces/observation.h"
#include "traces/trace.h"

namespace a3sim {

struct OutputFile {
  std::string path, contents;  // path below the output's directory; empty: the output is one file
};

// A file format that other tools open. One file each, registered by name.
class TraceFormat {
 public:
  static constexpr std::string_view kKind = "trace format";
  virtual ~TraceFormat() = default;
  // Returns the largest number of tasks that tools still open.
  virtual std::uint64_t most_tasks() const = 0;
  // Writes passes one after the other in time, as in a step. Equal traces give equal bytes.
  virtual std::vector<OutputFile> write(std::span<const TracedPass> passes) const = 0;
  // Writes a recorded job of many steps. Throws InputError if the format has no steps, or cannot show this
  // job.
  virtual std::vector<OutputFile> write_job(const Observation&) const {
    throw InputError("this format has no steps; a job goes '--to ascend'");
  }
};

using TraceFormats = Registry<TraceFormat>;

}  // namespace a3sim
