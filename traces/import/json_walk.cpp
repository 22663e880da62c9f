#include "traces/import/json_walk.h"

#include <fmt/format.h>

#include <istream>

#include "sim/core/error.h"
#include "sim/core/json_error.h"
#include "traces/import/text_source.h"

namespace a3sim {

void JsonWalk::read(const std::filesystem::path& file) {
  file_ = file.string();
  JsonBytes bytes(file);
  std::istream stream(&bytes);
  stream.exceptions(std::ios::badbit);  // rethrows what reading throws
  nlohmann::json_sax<nlohmann::json>* const taker = this;
  nlohmann::json::sax_parse(stream, taker);
}

bool JsonWalk::parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
  throw json_error(file_, error);
}

void JsonWalk::go_deeper() {
  constexpr std::size_t kDeepest = 64;
  if (depth() == kDeepest) throw InputError(fmt::format("{}: deeper than {} levels", file_, kDeepest));
  keys_.emplace_back();
}

}  // namespace a3sim
