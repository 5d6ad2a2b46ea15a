// Functions compiled twice, for AVX2 and for any x86-64; the processor chooses when the program
// starts.
#pragma once

// Both give the same bits. `make machines` builds the core without the first and compares.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(NOVIKOFF_NO_CLONES)
#define NOVIKOFF_CLONES __attribute__((target_clones("avx2", "default")))
#define NOVIKOFF_BIT_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define NOVIKOFF_CLONES
#define NOVIKOFF_BIT_CLONES
#endif
