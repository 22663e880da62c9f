#include "sim/core/compiled_once.h"

#if FMT_VERSION / 10000 == 9

template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                            fmt::basic_format_args<fmt::buffer_context<char>>,
                                            fmt::detail::locale_ref);

#endif
