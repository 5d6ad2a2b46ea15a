// Loops compiled twice, for AVX2 and for any x86-64, and one for AVX-512; the processor at hand chooses
// when the program starts.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

#include <cstdlib>
#include <string_view>

#define NOVIKOFF_WIDE __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define NOVIKOFF_WIDEST __attribute__((target("avx512f,avx2,bmi,bmi2,lzcnt,popcnt")))
#endif

namespace novikoff {

#if defined(NOVIKOFF_WIDE)
// Whether the processor has AVX2 and counts bits in one step, and the system saves the wide registers.
// NOVIKOFF_AVX2=0 denies it, so that one build can be compared with itself. __builtin_cpu_supports
// would tell, but not every compiler's library has what it calls.
inline bool is_wide() {
  const char* const asked = std::getenv("NOVIKOFF_AVX2");
  if (asked && std::string_view(asked) == "0") return false;
  unsigned a, b, c, d, state;
  constexpr unsigned bits = bit_BMI | bit_BMI2 | bit_AVX2, saved = 6;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_POPCNT)) return false;
  __asm__("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
  if ((state & saved) != saved) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bits) != bits) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

inline const bool wide = is_wide();

// The same of AVX-512 and its registers; NOVIKOFF_AVX512=0 denies it.
inline bool is_widest() {
  const char* const asked = std::getenv("NOVIKOFF_AVX512");
  if (!wide || (asked && std::string_view(asked) == "0")) return false;
  unsigned a, b, c, d, state;
  constexpr unsigned saved = 0xe6;
  __asm__("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
  return (state & saved) == saved && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F);
}

inline const bool widest = is_widest();

template <class Loop>
NOVIKOFF_WIDE auto run_wide(Loop loop) {
  return loop();
}
#else
inline const bool wide = false, widest = false;
#endif

// Runs the loop as it was compiled for this processor. Both ways give the same bits, which
// tests/test_machines.py confirms. The loop is inlined into both, and captures by value what it uses
// often, so that it is in registers. GCC's target_clones would do, but Clang's takes no templates.
template <class Loop>
auto on_this_processor(Loop loop) {
#if defined(NOVIKOFF_WIDE)
  if (wide) return run_wide(loop);
#endif
  return loop();
}

}  // namespace novikoff
