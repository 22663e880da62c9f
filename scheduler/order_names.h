#pragma once

#include <span>
#include <string>
#include <string_view>

namespace a3sim {

// "; did you mean 'GMM1'?" if one of the names is close to `name`, else "; known: GMM1, GMM2".
std::string suggest(std::string_view name, std::span<const std::string> known);

}  // namespace a3sim
