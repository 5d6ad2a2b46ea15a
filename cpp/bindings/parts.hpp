// The parts of the Python module, one per source file, so that they compile in parallel.
#pragma once

#include <nanobind/nanobind.h>

void bind_concepts(nanobind::module_& m);
void bind_joint(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_online(nanobind::module_& m);
void bind_passes(nanobind::module_& m);
void bind_text(nanobind::module_& m);
