#pragma once

#include <string>
#include <string_view>

#include "sim/study/describe/document.h"

namespace a3sim {

// A file of a kind to start from: a shipped one with its comments, which finds what it includes from wherever it is
// put; what editors need to check it; and the keys that it leaves out, with what they take. Of hardware also which
// values move predictions most inside their ranges. Throws InputError for a name that is not shipped.
std::string starter_file(std::string_view kind, const Document& document, std::string_view from,
                         const std::string& schema_file);

}  // namespace a3sim
