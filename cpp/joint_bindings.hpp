#pragma once

#include <nanobind/nanobind.h>

void bind_joint(nanobind::module_& m);
