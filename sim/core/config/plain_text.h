#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/core/config/config.h"

namespace a3sim {

// Makes of a file's bytes what the YAML parser reads without surprises: no byte order mark, lines that end in
// \n, and a comment as the last line. `start` is the place of the first byte. Notes an error and returns
// nothing when the bytes are not UTF-8, hold control characters (a binary file) or a tab in the indentation.
std::optional<std::string> plain_text(std::string_view bytes, const Mark& start, Diagnostics& diagnostics);

// A scalar as UTF-8: yaml-cpp gives what the escapes \N and \_ mean as one byte of Latin-1.
std::string as_utf8(std::string_view scalar);

}  // namespace a3sim
