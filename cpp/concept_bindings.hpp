// The part of the bindings that concerns Boolean concepts.
#pragma once

#include <nanobind/nanobind.h>

void bind_concepts(nanobind::module_& m);
