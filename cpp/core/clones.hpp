// Code for the processor at hand, chosen when the program starts.
#pragma once

// One function compiled twice, for AVX2 and for any x86-64; the same bits from both.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define NOVIKOFF_CLONES __attribute__((target_clones("avx2", "default")))
#define NOVIKOFF_BIT_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define NOVIKOFF_CLONES
#define NOVIKOFF_BIT_CLONES
#endif
