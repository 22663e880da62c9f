#pragma once

#include <string_view>

#include "models/traffic/log_lines.h"
#include "models/traffic/log_row.h"

namespace a3sim {

// Returns whether a line names the columns of a table that read_table_log() reads.
bool names_log_columns(std::string_view line);

// Reads a table of comma-separated values, of which `first` is the line that names the columns. The experts of a token stand
// in one cell ("[3, 5]", "3 5"), or one each in columns with numbers (topk_0, topk_1); counts by expert in such columns too
// (expert_0, expert_1, or 0, 1), or one count a line, beside its expert.
void read_table_log(LogLines& lines, std::string_view first, const LogSink& sink, LogMeta& meta);

}  // namespace a3sim
