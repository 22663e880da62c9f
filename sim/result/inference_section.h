#pragma once

#include <filesystem>

#include "traces/report/page/page.h"

namespace a3sim {

// Adds what a step of inference keeps in its result.json, if it is one: its times, what its kernels are bound by, and where
// its time goes by class and kernel. Throws InputError if the file is wrong.
void add_inference(Page& page, const std::filesystem::path& directory, const std::string& title);

}  // namespace a3sim
