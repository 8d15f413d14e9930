// The functions of clchol/clchol.h: what the C++ class computes comes out of them, whatever types a
// caller has, and whatever is wrong is a status with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/solver/c_interface_support.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

using test::grid;
using test::Handle;
using test::matrix_of;
using test::solver_on_cpu;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// ---- What is computed --------------------------------------------------------------------------

template <class Types>
class CInterface : public testing::Test {};

template <class T, class Ptr, class Ind>
struct Types {
  using Scalar = T;
  using Start = Ptr;
  using Row = Ind;
};
using AllTypes = testing::Types<
    Types<double, std::int32_t, std::int32_t>, Types<double, std::int64_t, std::int32_t>,
    Types<double, std::int64_t, std::int64_t>, Types<float, std::int32_t, std::int32_t>,
    Types<float, std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(CInterface, AllTypes);

TYPED_TEST(CInterface, HasTheBitsOfTheClass) {
  using T = typename TypeParam::Scalar;
  const auto a = test::lower_input<T, typename TypeParam::Start, typename TypeParam::Row>(grid());
  const auto n = static_cast<std::size_t>(a.n);
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu(std::is_same_v<T, float> ? CLCHOL_FLOAT : CLCHOL_DOUBLE);
  Options options;
  options.engine = EngineKind::kCpu;
  SparseCholesky<T> own(options);
  std::vector<T> b(3 * n);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 5) - T{1};
  // Columns of X are 4 entries further apart than they are long.
  std::vector<T> x((n + 4) * 3, T{7}), expected = x;

  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK) << clchol_message(solver.get());
  ASSERT_EQ(own.factorize(a.view()), Status::kOk);
  clchol_solve_report report;
  ASSERT_EQ(clchol_solve(solver.get(), 3, b.data(), 0, x.data(), a.n + 4, &report, sizeof report),
            CLCHOL_OK);
  const SolveReport own_report =
      own.solve({b.data(), a.n, 3}, DenseView<T>(expected.data(), a.n, 3, a.n + 4));

  EXPECT_EQ(x, expected);
  EXPECT_EQ(report.status, CLCHOL_OK);
  EXPECT_EQ(report.backward_error, own_report.backward_error);
  EXPECT_EQ(report.refine_steps, own_report.refine_steps);
  EXPECT_EQ(report.engine, CLCHOL_ENGINE_CPU);

  double logarithm = 0;
  ASSERT_EQ(clchol_log_determinant(solver.get(), &logarithm), CLCHOL_OK);
  EXPECT_EQ(logarithm, own.log_determinant());
  std::vector<T> diagonal(n), scaling(n);
  std::vector<std::int32_t> permutation(n);
  ASSERT_EQ(clchol_diagonal(solver.get(), diagonal.data()), CLCHOL_OK);
  ASSERT_EQ(clchol_scaling(solver.get(), scaling.data()), CLCHOL_OK);
  ASSERT_EQ(clchol_permutation(solver.get(), permutation.data()), CLCHOL_OK);
  EXPECT_EQ(diagonal, own.diagonal());
  EXPECT_EQ(scaling, own.scaling());
  EXPECT_EQ(permutation, own.permutation());

  clchol_analysis_report analysis;
  ASSERT_EQ(clchol_get_analysis_report(solver.get(), &analysis, sizeof analysis), CLCHOL_OK);
  EXPECT_EQ(analysis.nnz_stored, own.analysis_report().nnz_stored);
  std::vector<std::int64_t> colptr(n + 1);
  std::vector<std::int32_t> rowind(static_cast<std::size_t>(analysis.nnz_stored));
  std::vector<T> values(rowind.size());
  ASSERT_EQ(clchol_factor(solver.get(), colptr.data(), rowind.data(), values.data()), CLCHOL_OK);
  const CholeskyFactor<T> factor = own.factor();
  EXPECT_EQ(colptr, factor.colptr);
  EXPECT_EQ(rowind, factor.rowind);
  EXPECT_EQ(values, factor.values);

  const auto fronts = static_cast<std::size_t>(analysis.supernodes);
  std::vector<std::int32_t> super_ptr(fronts + 1), super_parent(fronts), nrow(fronts);
  ASSERT_EQ(clchol_assembly_tree(solver.get(), super_ptr.data(), super_parent.data(), nrow.data()),
            CLCHOL_OK);
  const AssemblyTree tree = own.assembly_tree();
  EXPECT_EQ(super_ptr, tree.super_ptr);
  EXPECT_EQ(super_parent, tree.super_parent);
  EXPECT_EQ(nrow, tree.nrow);
}

TYPED_TEST(CInterface, CountsFromOneToo) {
  using T = typename TypeParam::Scalar;
  auto a = test::lower_input<T, typename TypeParam::Start, typename TypeParam::Row>(grid());
  const auto n = static_cast<std::size_t>(a.n);
  const Handle solver = solver_on_cpu(std::is_same_v<T, float> ? CLCHOL_FLOAT : CLCHOL_DOUBLE);
  std::vector<T> from_zero(n, T{1}), from_one = from_zero;
  const clchol_matrix zero_based = matrix_of(a);
  ASSERT_EQ(clchol_factorize(solver.get(), &zero_based), CLCHOL_OK);
  ASSERT_EQ(clchol_solve(solver.get(), 1, from_zero.data(), 0, from_zero.data(), 0, nullptr, 0),
            CLCHOL_OK);

  for (auto& start : a.colptr) ++start;
  for (auto& row : a.rowind) ++row;
  clchol_matrix one_based = matrix_of(a);
  EXPECT_EQ(clchol_refactorize(solver.get(), &one_based), CLCHOL_INVALID_ARGUMENT);
  one_based.index_base = 1;
  ASSERT_EQ(clchol_refactorize(solver.get(), &one_based), CLCHOL_OK)
      << clchol_message(solver.get());
  ASSERT_EQ(clchol_solve(solver.get(), 1, from_one.data(), 0, from_one.data(), 0, nullptr, 0),
            CLCHOL_OK);
  EXPECT_EQ(from_one, from_zero);

  using Start = typename TypeParam::Start;
  a.rowind[3] = std::numeric_limits<typename TypeParam::Row>::min();
  EXPECT_EQ(clchol_factorize(solver.get(), &one_based), CLCHOL_INVALID_ARGUMENT);
  // No row is read where colptr's last entry cannot be the number of rows.
  for (const Start last : {std::numeric_limits<Start>::min(), std::numeric_limits<Start>::max()}) {
    const Start good = std::exchange(a.colptr[5], last);
    const Start good_last = std::exchange(a.colptr.back(), last);
    EXPECT_EQ(clchol_factorize(solver.get(), &one_based), CLCHOL_INVALID_ARGUMENT);
    EXPECT_THAT(clchol_message(solver.get()), HasSubstr("descends"));
    a.colptr[5] = good;
    a.colptr.back() = good_last;
  }
  a.colptr[0] = 0;
  EXPECT_EQ(clchol_factorize(solver.get(), &one_based), CLCHOL_INVALID_ARGUMENT);
  EXPECT_STREQ(clchol_message(solver.get()), "matrix: colptr[0] is 0, must be index_base = 1");
}

TYPED_TEST(CInterface, PartsInTurnSolveInPlace) {
  using T = typename TypeParam::Scalar;
  const auto a = test::lower_input<T, typename TypeParam::Start, typename TypeParam::Row>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu(std::is_same_v<T, float> ? CLCHOL_FLOAT : CLCHOL_DOUBLE);
  ASSERT_EQ(clchol_set_option(solver.get(), "solve.max_refine_steps", "0"), CLCHOL_OK);
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  std::vector<T> x(static_cast<std::size_t>(a.n), T{1}), parts = x;

  ASSERT_EQ(clchol_solve(solver.get(), 1, x.data(), 0, x.data(), 0, nullptr, 0), CLCHOL_OK);
  for (const int part :
       {CLCHOL_PART_PERMUTE, CLCHOL_PART_FORWARD, CLCHOL_PART_BACKWARD, CLCHOL_PART_UNPERMUTE}) {
    ASSERT_EQ(clchol_solve_part(solver.get(), part, 1, parts.data(), 0), CLCHOL_OK);
  }

  EXPECT_EQ(parts, x);
}

TEST(CInterfaceFiles, GiveTheSameSolution) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("saved");
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu(), other = solver_on_cpu();
  const auto solution = [&](const Handle& handle) {
    std::vector<double> x(static_cast<std::size_t>(a.n), 1.0);
    EXPECT_EQ(clchol_solve(handle.get(), 1, x.data(), 0, x.data(), 0, nullptr, 0), CLCHOL_OK)
        << clchol_message(handle.get());
    return x;
  };
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  const std::vector<double> expected = solution(solver);

  ASSERT_EQ(clchol_save_analysis(solver.get(), path.c_str()), CLCHOL_OK);
  ASSERT_EQ(clchol_load_analysis(other.get(), &matrix, path.c_str()), CLCHOL_OK);
  ASSERT_EQ(clchol_refactorize(other.get(), &matrix), CLCHOL_OK);
  EXPECT_EQ(solution(other), expected);

  void* bytes = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(clchol_save_analysis_bytes(solver.get(), &bytes, &count), CLCHOL_OK);
  ASSERT_EQ(clchol_load_analysis_bytes(other.get(), &matrix, bytes, count), CLCHOL_OK);
  clchol_free(bytes);
  ASSERT_EQ(clchol_refactorize_values(other.get(), a.values.data(),
                                      static_cast<std::int64_t>(a.values.size())),
            CLCHOL_OK);
  EXPECT_EQ(solution(other), expected);

  ASSERT_EQ(clchol_save_factor(solver.get(), path.c_str()), CLCHOL_OK);
  ASSERT_EQ(clchol_load_factor(other.get(), &matrix, path.c_str()), CLCHOL_OK);
  // The engine of a loaded factor solves in another order of operations: X has other last digits.
  clchol_solve_report report;
  std::vector<double> x(static_cast<std::size_t>(a.n), 1.0), diagonal = x, own_diagonal = x;
  ASSERT_EQ(clchol_solve(other.get(), 1, x.data(), 0, x.data(), 0, &report, sizeof report),
            CLCHOL_OK);
  EXPECT_LE(report.backward_error, 1e-15);  // The tolerance of a solve in double.
  ASSERT_EQ(clchol_diagonal(other.get(), diagonal.data()), CLCHOL_OK);
  ASSERT_EQ(clchol_diagonal(solver.get(), own_diagonal.data()), CLCHOL_OK);
  EXPECT_EQ(diagonal, own_diagonal);
  ASSERT_EQ(clchol_load_factor(other.get(), nullptr, path.c_str()), CLCHOL_OK);
  EXPECT_EQ(clchol_refactorize(other.get(), &matrix), CLCHOL_INVALID_ARGUMENT);
}

// ---- What is wrong -----------------------------------------------------------------------------

TEST(CInterfaceErrors, AreStatusesForNullPointers) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  EXPECT_EQ(clchol_create(CLCHOL_DOUBLE, nullptr), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_factorize(nullptr, &matrix), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_factorize(solver.get(), nullptr), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_set_option(solver.get(), nullptr, "1"), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_save_factor(solver.get(), nullptr), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_options_init(nullptr, sizeof(clchol_options)), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(clchol_cancel(nullptr, 1), CLCHOL_INVALID_ARGUMENT);
  EXPECT_STREQ(clchol_message(nullptr), "the solver is NULL");
  clchol_destroy(nullptr);
  clchol_free(nullptr);
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  EXPECT_EQ(clchol_solve(solver.get(), 1, nullptr, 0, nullptr, 0, nullptr, 0),
            CLCHOL_INVALID_ARGUMENT);
  EXPECT_STREQ(clchol_message(solver.get()), "b is NULL");
  EXPECT_EQ(clchol_diagonal(solver.get(), nullptr), CLCHOL_INVALID_ARGUMENT);
  EXPECT_STREQ(clchol_message(solver.get()), "diagonal is NULL");
}

TEST(CInterfaceErrors, NameTheMemberOfABadMatrix) {
  const auto a = test::lower_input<double>(grid());
  const Handle solver = solver_on_cpu();
  const auto refused = [&](auto change) {
    clchol_matrix matrix = matrix_of(a);
    change(matrix);
    EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_INVALID_ARGUMENT);
    return std::string(clchol_message(solver.get()));
  };
  EXPECT_THAT(refused([](auto& m) { m.n = -1; }), HasSubstr("member n is -1"));
  EXPECT_THAT(refused([](auto& m) { m.n = std::int64_t{1} << 40; }), HasSubstr("member n"));
  EXPECT_THAT(refused([](auto& m) { m.colptr = nullptr; }), HasSubstr("colptr is NULL"));
  EXPECT_THAT(refused([](auto& m) { m.rowind = nullptr; }), HasSubstr("rowind is NULL"));
  EXPECT_THAT(refused([](auto& m) { m.triangle = 3; }), HasSubstr("triangle is 3"));
  EXPECT_THAT(refused([](auto& m) { m.index_base = 2; }), HasSubstr("index_base is 2"));
  EXPECT_THAT(refused([](auto& m) { m.colptr_type = 7; }), HasSubstr("are 7 and 0"));
  EXPECT_THAT(refused([](auto& m) { m.rowind_type = CLCHOL_INT64; }), HasSubstr("are 0 and 1"));
  EXPECT_THAT(refused([](auto& m) { m.values = nullptr; }), HasSubstr("values"));
}

TEST(CInterfaceErrors, SayWhereAMatrixIsNotPositiveDefinite) {
  auto a = test::lower_input<double>(test::diagonal(4));
  a.values[2] = -3;
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();

  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_NOT_POSITIVE_DEFINITE);

  EXPECT_STRNE(clchol_message(solver.get()), "");
  clchol_factor_report report;
  ASSERT_EQ(clchol_get_factor_report(solver.get(), &report, sizeof report), CLCHOL_OK);
  EXPECT_EQ(report.status, CLCHOL_NOT_POSITIVE_DEFINITE);
  EXPECT_EQ(report.row, 2);
  EXPECT_EQ(report.diagonal, -3);
  EXPECT_EQ(report.rcond, -1);
  std::vector<double> x(4, 1.0);
  EXPECT_EQ(clchol_solve(solver.get(), 1, x.data(), 0, x.data(), 0, nullptr, 0),
            CLCHOL_INVALID_ARGUMENT);
}

TEST(CInterfaceErrors, HaveNamesAndMessagesThatAreCopied) {
  EXPECT_STREQ(clchol_status_name(CLCHOL_OK), "ok");
  EXPECT_STREQ(clchol_status_name(CLCHOL_NOT_POSITIVE_DEFINITE), "not_positive_definite");
  EXPECT_STREQ(clchol_status_name(CLCHOL_OUT_OF_MEMORY), "out_of_memory");
  EXPECT_STREQ(clchol_status_name(12345), "unknown");
  EXPECT_STREQ(clchol_status_name(-12345), "unknown");
  EXPECT_EQ(clchol_type(solver_on_cpu(CLCHOL_FLOAT).get()), CLCHOL_FLOAT);
  EXPECT_EQ(clchol_type(nullptr), CLCHOL_INVALID_ARGUMENT);
  const std::string version = std::to_string(CLCHOL_VERSION_MAJOR) + "." +
                              std::to_string(CLCHOL_VERSION_MINOR) + "." +
                              std::to_string(CLCHOL_VERSION_PATCH);
  EXPECT_EQ(clchol_version(), version);
  const Handle solver = solver_on_cpu();
  EXPECT_STREQ(clchol_message(solver.get()), "");
  ASSERT_EQ(clchol_set_option(solver.get(), "threads", "two"), CLCHOL_INVALID_ARGUMENT);
  std::array<char, 8> start{};
  const std::string message = clchol_message(solver.get());
  EXPECT_EQ(clchol_copy_message(solver.get(), start.data(), start.size()), message.size());
  EXPECT_EQ(std::string(start.data()), message.substr(0, 7));
}

TEST(CInterfaceErrors, AreInTheReportOfASolve) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  std::vector<double> x(static_cast<std::size_t>(a.n), 1.0);
  clchol_solve_report report;
  const std::vector<double> nan(x.size(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(clchol_solve(solver.get(), 1, nan.data(), 0, x.data(), 0, &report, sizeof report),
            CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(report.status, CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(report.backward_error, -1);
  EXPECT_THAT(clchol_message(solver.get()), HasSubstr("b"));

  const std::vector<double> before = x;
  for (const std::size_t size : {std::size_t{0}, std::size_t{21}, std::size_t{1} << 40}) {
    EXPECT_EQ(clchol_solve(solver.get(), 1, x.data(), 0, x.data(), 0, &report, size),
              CLCHOL_INVALID_ARGUMENT);
    EXPECT_THAT(clchol_message(solver.get()), HasSubstr("size of clchol_solve_report"));
    EXPECT_EQ(x, before);  // Refused before any work.
  }
}

TEST(CInterfaceErrors, AreColumnsOfXOverThoseOfB) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  std::vector<double> x(static_cast<std::size_t>(a.n + 1) * 40, 1.0);
  EXPECT_EQ(clchol_solve(solver.get(), 40, x.data(), a.n, x.data(), a.n + 1, nullptr, 0),
            CLCHOL_INVALID_ARGUMENT);
  EXPECT_THAT(clchol_message(solver.get()), HasSubstr("leading dimensions 63 and 64"));
  EXPECT_EQ(clchol_solve(solver.get(), 1, x.data(), a.n, x.data(), a.n + 1, nullptr, 0), CLCHOL_OK);
}

TEST(CInterfaceErrors, WithinABudgetAreOutOfMemory) {
  const auto a = test::lower_input<double>(test::dense_spd(200, 1));
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_set_option(solver.get(), "memory.host", "1000"), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OUT_OF_MEMORY);
  ASSERT_EQ(clchol_set_option(solver.get(), "memory.host", "0"), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
}

// ---- Reports as texts --------------------------------------------------------------------------

TEST(CInterfaceJson, HasTheMembersOfTheReports) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  std::vector<double> x(static_cast<std::size_t>(a.n), 1.0);
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  ASSERT_EQ(clchol_solve(solver.get(), 1, x.data(), 0, x.data(), 0, nullptr, 0), CLCHOL_OK);
  const auto json = [&](int report) {
    char* text = nullptr;
    EXPECT_EQ(clchol_report_json(solver.get(), report, &text), CLCHOL_OK)
        << clchol_message(solver.get());
    const std::string copy = text == nullptr ? "" : text;
    clchol_free(text);
    return copy;
  };

  EXPECT_THAT(json(CLCHOL_REPORT_ANALYSIS), StartsWith("{\"n\":63,"));
  EXPECT_THAT(
      json(CLCHOL_REPORT_FACTOR),
      AllOf(StartsWith("{\"status\":\"ok\","), HasSubstr("\"rcond\":null"),
            HasSubstr("\"device_setup\":{\"kernels\":\"plain\""), HasSubstr("\"engine\":\"cpu\"")));
  EXPECT_THAT(json(CLCHOL_REPORT_SOLVE), HasSubstr("\"backward_error\":"));
  EXPECT_THAT(json(CLCHOL_REPORT_HOST_MODES), StartsWith("[{\"is_out_of_core\":false,"));
  EXPECT_EQ(json(CLCHOL_REPORT_DEVICE_MODES), "[]");
  char* text = nullptr;
  EXPECT_EQ(clchol_report_json(solver.get(), 5, &text), CLCHOL_INVALID_ARGUMENT);
  EXPECT_EQ(text, nullptr);
}

}  // namespace
}  // namespace clchol
