// Learning from one example at a time, for Python.
#pragma once

#include <nanobind/nanobind.h>

void bind_online(nanobind::module_& m);
