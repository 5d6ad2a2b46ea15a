// The part of the bindings that concerns text, in a file of its own so that both compile at once.
#pragma once

#include <nanobind/nanobind.h>

void bind_text(nanobind::module_& m);
