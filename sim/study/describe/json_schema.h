#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "sim/core/config/key_form.h"
#include "sim/study/describe/document.h"

namespace a3sim {

// A kind of files as a JSON schema (draft-07), for editors: its keys, what each takes, and what holds without it.
// Everything that it refuses is refused by the reader. The reader refuses more: keys that are missing, which a file
// that includes this one may have, and what does not go together.
nlohmann::ordered_json json_schema(std::string_view name, const Document& document);

}  // namespace a3sim
