// The part of the bindings that concerns learning from rows, and scoring them.
#pragma once

#include <nanobind/nanobind.h>

void bind_passes(nanobind::module_& m);
