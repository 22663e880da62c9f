#pragma once

// Declares fmt's formatting into buffers other than strings as compiled elsewhere. fmt's headers would
// compile it again in every file, a tenth of the compile time. Part of the precompiled header; a file
// compiled without it gives the same program.
#include <fmt/format.h>

#if FMT_VERSION / 10000 == 9  // the version of Debian 12; others have other signatures

extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::basic_format_args<fmt::buffer_context<char>>,
                                                   fmt::detail::locale_ref);

#endif
