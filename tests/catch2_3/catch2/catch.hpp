#pragma once

// Where Catch2 is version 3, this stands for version 2's one header: as much of it as the tests use.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_session.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>
#include <string>

namespace Catch {
namespace Matchers {

// Version 3 has this name for elements of ranges, in a header that is left out above.
inline StringContainsMatcher Contains(const std::string& text, CaseSensitive sensitive = CaseSensitive::Yes) {
  return ContainsSubstring(text, sensitive);
}

}  // namespace Matchers
using namespace Matchers;
}  // namespace Catch
using Catch::Approx;
using namespace Catch::Matchers;

#ifdef CATCH_CONFIG_MAIN
int main(int count, char** arguments) { return Catch::Session().run(count, arguments); }
#endif
