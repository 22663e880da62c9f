#include "traces/report/page/web_bundle.h"

// The assembler copies the files into the program: they need neither a generator nor a place on disk.
#define A3SIM_EMBED(symbol, file)                                                                  \
  __asm__(".section .rodata\n" #symbol "_begin:\n.incbin \"" A3SIM_WEB_DIR "/" file "\"\n" #symbol \
          "_end:\n"                                                                                \
          ".byte 0\n.previous\n");                                                                 \
  extern "C" const char symbol##_begin[], symbol##_end[];

A3SIM_EMBED(a3sim_page_script, "page.js")
A3SIM_EMBED(a3sim_page_style, "page.css")

namespace a3sim {

std::string_view page_script() { return {a3sim_page_script_begin, a3sim_page_script_end}; }
std::string_view page_style() { return {a3sim_page_style_begin, a3sim_page_style_end}; }

}  // namespace a3sim
