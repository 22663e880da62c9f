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
  std::string path, contents;  // below the output's directory; empty: the output is this one file
};

// A format that other tools open. One file each, registered by name.
class TraceFormat {
 public:
  static constexpr std::string_view kKind = "trace format";
  virtual ~TraceFormat() = default;
  // The most tasks for which tools still open what is written.
  virtual std::uint64_t most_tasks() const = 0;
  // Passes follow one another in time, as they would in a step. The same traces give the same bytes.
  virtual std::vector<OutputFile> write(std::span<const TracedPass> passes) const = 0;
  // A job of many steps that was recorded. Throws InputError where the format has no steps, or the job not what it
  // shows.
  virtual std::vector<OutputFile> write_job(const Observation&) const {
    throw InputError("this format has no steps; a job goes '--to ascend'");
  }
};

using TraceFormats = Registry<TraceFormat>;

}  // namespace a3sim
