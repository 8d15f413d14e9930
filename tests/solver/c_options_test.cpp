// Options of the C interface, by struct and by name, and structs of other versions of the header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/solver/c_interface_support.hpp"

namespace clchol {
namespace {

using test::grid;
using test::Handle;
using test::matrix_of;
using test::option;
using test::solver_on_cpu;
using testing::AllOf;
using testing::HasSubstr;

// ---- Options -----------------------------------------------------------------------------------

TEST(CInterfaceOptions, AreThoseOfTheClassByDefault) {
  clchol_options options;
  ASSERT_EQ(clchol_options_init(&options, sizeof options), CLCHOL_OK);
  EXPECT_EQ(options.size, sizeof options);
  EXPECT_EQ(options.ordering, CLCHOL_ORDERING_AUTO);
  EXPECT_EQ(options.effort, CLCHOL_EFFORT_BALANCED);
  EXPECT_EQ(options.max_refine_steps, Options{}.solve.max_refine_steps);
  EXPECT_STREQ(options.devices, "");
  EXPECT_STREQ(options.scratch_directory, "");
}

TEST(CInterfaceOptions, ComeBackAsTheyWereSet) {
  const Handle solver = solver_on_cpu();
  clchol_options options;
  ASSERT_EQ(clchol_options_init(&options, sizeof options), CLCHOL_OK);
  options.ordering = CLCHOL_ORDERING_AMD;
  options.seed = std::numeric_limits<std::uint64_t>::max();
  options.compress = 0;
  options.precision = CLCHOL_PRECISION_MIXED;
  options.tolerance = 1e-11;
  options.threads = 2;
  options.host_bytes = std::int64_t{1} << 40;
  options.scratch_directory = "/tmp";
  options.engine = CLCHOL_ENGINE_OPENCL;
  options.devices = "0,1";

  ASSERT_EQ(clchol_set_options(solver.get(), &options), CLCHOL_OK);
  clchol_options back;
  ASSERT_EQ(clchol_get_options(solver.get(), &back, sizeof back), CLCHOL_OK);

  EXPECT_EQ(back.ordering, options.ordering);
  EXPECT_EQ(back.seed, options.seed);
  EXPECT_EQ(back.compress, 0);
  EXPECT_EQ(back.amalgamate, 1);
  EXPECT_EQ(back.precision, options.precision);
  EXPECT_EQ(back.tolerance, options.tolerance);
  EXPECT_EQ(back.threads, 2);
  EXPECT_EQ(back.host_bytes, options.host_bytes);
  EXPECT_STREQ(back.scratch_directory, "/tmp");
  EXPECT_STREQ(back.devices, "0,1");
  EXPECT_EQ(option(solver.get(), "analysis.ordering"), "amd");
  EXPECT_EQ(option(solver.get(), "analysis.seed"), "18446744073709551615");
  EXPECT_EQ(option(solver.get(), "factor.precision"), "mixed");
  EXPECT_EQ(option(solver.get(), "solve.tolerance"), "1e-11");
  EXPECT_EQ(option(solver.get(), "engine"), "opencl");
  EXPECT_EQ(option(solver.get(), "devices"), "0,1");
}

TEST(CInterfaceOptions, HaveNamesAndTextsThatComeBack) {
  const Handle solver = solver_on_cpu();
  int count = 0;
  for (; clchol_option_name(count) != nullptr; ++count) {
    const char* const name = clchol_option_name(count);
    SCOPED_TRACE(name);
    const std::string text = option(solver.get(), name);
    EXPECT_EQ(clchol_set_option(solver.get(), name, text.c_str()), CLCHOL_OK)
        << clchol_message(solver.get());
    EXPECT_EQ(option(solver.get(), name), text);
  }
  EXPECT_EQ(count, 18);
  EXPECT_EQ(clchol_option_name(-1), nullptr);
}

TEST(CInterfaceOptions, RefuseWhatIsNoValue) {
  const Handle solver = solver_on_cpu();
  for (const auto& [name, text] :
       std::vector<std::array<const char*, 2>>{{"analysis.ordering", "metis"},
                                               {"analysis.seed", "-1"},
                                               {"analysis.expected_solves", "2.5"},
                                               {"analysis.compress", "yes"},
                                               {"factor.precision", "half"},
                                               {"solve.tolerance", "1e-12x"},
                                               {"solve.tolerance", ""},
                                               {"memory.host", "99999999999999999999"},
                                               {"threads", "two"}}) {
    SCOPED_TRACE(name);
    const std::string before = option(solver.get(), name);
    EXPECT_EQ(clchol_set_option(solver.get(), name, text), CLCHOL_INVALID_ARGUMENT);
    EXPECT_THAT(clchol_message(solver.get()),
                AllOf(HasSubstr(name), HasSubstr(std::string("'") + text + "'")));
    EXPECT_EQ(option(solver.get(), name), before);
  }
  EXPECT_EQ(clchol_set_option(solver.get(), "ordering", "amd"), CLCHOL_INVALID_ARGUMENT);
  EXPECT_THAT(clchol_message(solver.get()), HasSubstr("analysis.ordering"));
}

TEST(CInterfaceOptions, AreCheckedByTheCallThatReadsThem) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  clchol_options options;
  ASSERT_EQ(clchol_get_options(solver.get(), &options, sizeof options), CLCHOL_OK);
  options.ordering = 99;
  ASSERT_EQ(clchol_set_options(solver.get(), &options), CLCHOL_OK);
  EXPECT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_INVALID_ARGUMENT);
  EXPECT_THAT(clchol_message(solver.get()), HasSubstr("analysis.ordering is 99"));
}

TEST(CInterfaceOptions, KeepNamesOfDevicesAsTheyAre) {
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_set_option(solver.get(), "engine", "auto"), CLCHOL_OK);
  for (const char* const names : {",", "0,", ",0", "0,1"}) {
    ASSERT_EQ(clchol_set_option(solver.get(), "devices", names), CLCHOL_OK);
    EXPECT_EQ(option(solver.get(), "devices"), names);
  }
}

TEST(CInterfaceOptions, ReadThePermutationWhereItIsAskedFor) {
  const auto a = test::lower_input<double>(test::tridiagonal(3));
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  const std::array<std::int32_t, 3> reversed{2, 1, 0};
  std::array<std::int32_t, 3> used{};
  ASSERT_EQ(clchol_set_permutation(solver.get(), 3, reversed.data(), CLCHOL_INT32), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK) << clchol_message(solver.get());
  ASSERT_EQ(clchol_set_option(solver.get(), "analysis.ordering", "given"), CLCHOL_OK);
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK) << clchol_message(solver.get());
  clchol_options defaults;
  ASSERT_EQ(clchol_options_init(&defaults, sizeof defaults), CLCHOL_OK);
  ASSERT_EQ(clchol_set_options(solver.get(), &defaults), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK) << clchol_message(solver.get());
  EXPECT_EQ(clchol_permutation(solver.get(), used.data()), CLCHOL_OK);
}

TEST(CInterfaceOptions, TakeAPermutationOfEitherTypeOfIndex) {
  const auto a = test::lower_input<double>(test::tridiagonal(3));
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_set_option(solver.get(), "analysis.ordering", "given"), CLCHOL_OK);
  ASSERT_EQ(clchol_set_option(solver.get(), "analysis.amalgamate", "false"), CLCHOL_OK);
  const std::array<std::int32_t, 3> narrow{2, 1, 0};
  const std::array<std::int64_t, 3> wide{0, 1, 2};
  // The last one would be a permutation if its upper halves were cut off.
  const std::array<std::int64_t, 3> beyond{0, 1, (std::int64_t{1} << 32) + 2};
  std::array<std::int32_t, 3> used{};

  ASSERT_EQ(clchol_set_permutation(solver.get(), 3, narrow.data(), CLCHOL_INT32), CLCHOL_OK);
  ASSERT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_OK) << clchol_message(solver.get());
  ASSERT_EQ(clchol_permutation(solver.get(), used.data()), CLCHOL_OK);
  EXPECT_EQ(used, narrow);
  ASSERT_EQ(clchol_set_permutation(solver.get(), 3, wide.data(), CLCHOL_INT64), CLCHOL_OK);
  ASSERT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_OK);
  ASSERT_EQ(clchol_permutation(solver.get(), used.data()), CLCHOL_OK);
  EXPECT_EQ(used, (std::array<std::int32_t, 3>{0, 1, 2}));
  ASSERT_EQ(clchol_set_permutation(solver.get(), 3, beyond.data(), CLCHOL_INT64), CLCHOL_OK);
  EXPECT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_INVALID_ARGUMENT);
}

// ---- Structs of other versions -----------------------------------------------------------------

TEST(CInterfaceStructs, OfAnOlderHeaderKeepTheirSize) {
  const Handle solver = solver_on_cpu();
  clchol_options options;
  std::memset(&options, 0x55, sizeof options);
  const std::size_t old_size = offsetof(clchol_options, threads);
  ASSERT_EQ(clchol_options_init(&options, old_size), CLCHOL_OK);
  EXPECT_EQ(options.size, old_size);
  EXPECT_EQ(options.threads, 0x55555555);  // Is not a member of the caller's struct.
  options.ordering = CLCHOL_ORDERING_AMD;

  ASSERT_EQ(clchol_set_option(solver.get(), "threads", "2"), CLCHOL_OK);
  ASSERT_EQ(clchol_set_options(solver.get(), &options), CLCHOL_OK);

  EXPECT_EQ(option(solver.get(), "analysis.ordering"), "amd");
  EXPECT_EQ(option(solver.get(), "threads"), "2");
  EXPECT_EQ(option(solver.get(), "engine"), "cpu");
}

TEST(CInterfaceStructs, OfANewerHeaderMayHoldNothingUnknown) {
  struct Newer {
    clchol_options known;
    int unknown;
  };
  const Handle solver = solver_on_cpu();
  Newer options{};
  options.unknown = 1;
  ASSERT_EQ(clchol_options_init(&options.known, sizeof options), CLCHOL_OK);
  EXPECT_EQ(options.unknown, 0);
  EXPECT_EQ(clchol_set_options(solver.get(), &options.known), CLCHOL_OK);
  options.unknown = 1;
  EXPECT_EQ(clchol_set_options(solver.get(), &options.known), CLCHOL_INVALID_ARGUMENT);
  EXPECT_THAT(clchol_message(solver.get()), HasSubstr("does not know"));
}

TEST(CInterfaceStructs, WithoutASizeAreRefused) {
  const auto a = test::lower_input<double>(grid());
  clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  // 20 would cut a pair of members.
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{20}, std::size_t{1} << 40}) {
    matrix.size = size;
    EXPECT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_INVALID_ARGUMENT);
    EXPECT_THAT(clchol_message(solver.get()), HasSubstr("size of clchol_matrix is"));
  }
}

}  // namespace
}  // namespace clchol
