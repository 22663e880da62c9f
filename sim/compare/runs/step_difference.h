#pragma once

#include <filesystem>
#include <optional>

#include "traces/report/report.h"

namespace a3sim {

// Compares two saved steps, of training or of inference, with or without tasks: their figures, a die's time by class, and the keys at which their
// configurations differ. Returns nullopt if one of the directories holds no such step.
std::optional<Report> step_difference(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace a3sim
