#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/proof/mutations.h"

namespace a3sim {

// A field of the schema of schedules, with a function that changes it in one rank's schedule.
struct FieldChange {
  std::string field;  // Operator.stage
  // Draws another value of one item. Returns false if there is no item, or if the draw gave the same value.
  std::function<bool(SscParts& rank, Rng& rng)> apply;
};

// Returns the fields of the schema (ssc.fbs), each once. Structures have the fields of the text form
// (ssc_fields.h); those that a schedule holds once have the fields of the parts.
std::vector<FieldChange> field_changes();

// Returns the names of the fields in a schema's text, by table or structure.
std::map<std::string, std::vector<std::string>> schema_fields(const std::string& schema);

}  // namespace a3sim
