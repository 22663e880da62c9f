#pragma once

// fmt's formatting into anything but a string, which its headers compile again in each file: a tenth of the
// compiler's time. Part of the precompiled header; a file that is compiled without it is the same program.
#include <fmt/format.h>

#if FMT_VERSION / 10000 == 9  // what Debian 12 has; others have other signatures

extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::basic_format_args<fmt::buffer_context<char>>,
                                                   fmt::detail::locale_ref);

#endif
