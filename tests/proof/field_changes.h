#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/proof/mutations.h"

namespace a3sim {

// A field that the schema of schedules has, as what a change of it does to one rank's schedule.
struct FieldChange {
  std::string field;  // Operator.stage
  // Draws another value of one item; false: there is no item, or the draw gave the same value.
  std::function<bool(SscParts& rank, Rng& rng)> apply;
};

// The fields of the schema (ssc.fbs), each once. The structures' are those that the text form lists (ssc_fields.h); of
// those that schedules hold once, the parts' own.
std::vector<FieldChange> field_changes();

// The names of the fields in a schema's text, by table or structure.
std::map<std::string, std::vector<std::string>> schema_fields(const std::string& schema);

}  // namespace a3sim
