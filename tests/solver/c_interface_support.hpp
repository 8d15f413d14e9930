// Shared by the tests of the C interface: a solver that destroys itself, and C structs of matrices.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clchol/clchol.h"
#include "tests/solver/solver_support.hpp"

namespace clchol::test {

struct Destroy {
  void operator()(clchol_solver* solver) const { clchol_destroy(solver); }
};
using Handle = std::unique_ptr<clchol_solver, Destroy>;

/// A solver whose engine is the CPU's.
inline Handle solver_on_cpu(int type = CLCHOL_DOUBLE) {
  clchol_solver* solver = nullptr;
  EXPECT_EQ(clchol_create(type, &solver), CLCHOL_OK);
  EXPECT_EQ(clchol_set_option(solver, "engine", "cpu"), CLCHOL_OK);
  return Handle(solver);
}

/// The arrays of `a` as a C struct.
template <class T, class Ptr, class Ind>
clchol_matrix matrix_of(const Input<T, Ptr, Ind>& a) {
  clchol_matrix c;
  EXPECT_EQ(clchol_matrix_init(&c, sizeof c), CLCHOL_OK);
  c.n = a.n;
  c.colptr = a.colptr.data();
  c.rowind = a.rowind.data();
  c.values = a.values.data();
  c.colptr_type = sizeof(Ptr) == 8 ? CLCHOL_INT64 : CLCHOL_INT32;
  c.rowind_type = sizeof(Ind) == 8 ? CLCHOL_INT64 : CLCHOL_INT32;
  c.triangle = static_cast<int>(a.triangle);
  return c;
}

/// The text of an option.
inline std::string option(const clchol_solver* solver, const char* name) {
  char* text = nullptr;
  EXPECT_EQ(clchol_get_option(solver, name, &text), CLCHOL_OK) << clchol_message(solver);
  const std::string copy = text == nullptr ? "" : text;
  clchol_free(text);
  return copy;
}

/// A Laplacian on a grid of 7 x 9 points, with 63 rows.
inline LowerMatrix grid() { return grid2d(7, 9); }

}  // namespace clchol::test
