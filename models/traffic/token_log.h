#pragma once

#include <filesystem>

#include "models/traffic/log_row.h"

namespace a3sim {

// Returns whether a file, perhaps packed (.gz), looks like a log that read_log() reads: JSON, or a table whose first line
// names columns of one.
bool is_traffic_log(const std::filesystem::path& file);

// Reads a log of token routing or of counts by expert, in pieces: JSON lines, one JSON value, or a table of comma-separated
// values. The README has the forms. Throws InputError with file and line for what is none.
LogMeta read_log(const std::filesystem::path& file, const LogSink& sink);

}  // namespace a3sim
