#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace a3sim {

// How text looks at a terminal.
enum class Shade { kBold, kRed, kYellow };

// Returns whether the stream is a terminal that shows colours: not where NO_COLOR is set (https://no-color.org) or TERM is dumb.
bool has_colour(std::FILE* stream);

// Returns the text in a shade, which ends with it.
std::string shaded(std::string_view text, Shade shade);

// Returns a result as stdout shows it. Control characters in it are made visible everywhere. At a terminal, sentences are
// broken between words; where it has colours too, heads of tables are bold, and so is what binds a run.
std::string page_text(std::string_view text);

// Returns a help text as stdout shows it: broken between words, with bold headings where there are colours.
std::string help_text(std::string_view text);

}  // namespace a3sim
