// The matrix collection: every matrix is read, every unsuitable file is judged as the index says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The folder with index.tsv that the variable CLCHOL_MATRICES names; empty if there is none.
fs::path collection() {
  const char* folder = std::getenv("CLCHOL_MATRICES");
  return folder != nullptr && fs::exists(fs::path(folder) / "index.tsv") ? fs::path(folder)
                                                                         : fs::path();
}

/// Rows of a table with a head line; fields are separated by tabs.
std::vector<std::vector<std::string>> rows_of(const fs::path& table) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(table);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) rows.back().push_back(field);
  }
  return rows;
}

TEST(MatrixMarketShared, MatricesHaveTheSizesOfTheIndex) {
  const fs::path folder = collection();
  if (folder.empty()) GTEST_SKIP() << "CLCHOL_MATRICES is not set";
  const auto rows = rows_of(folder / "index.tsv");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    const SymmetricMatrix a = read_symmetric_matrix(folder / (row[0] + ".mtx.gz"));
    EXPECT_EQ(std::to_string(a.n()), row[1]);
    EXPECT_EQ(std::to_string(a.lower.view().nnz()), row[2]);
    EXPECT_TRUE(is_sorted_lower(a.lower.view()));
  }
}

TEST(MatrixMarketShared, UnsuitableFilesAreJudgedAsTheIndexSays) {
  const fs::path folder = collection() / "bad";
  if (collection().empty()) GTEST_SKIP() << "CLCHOL_MATRICES is not set";
  // Expected messages by kinds of files.  Files of other kinds are read, and fail when factored.
  const std::map<std::string, std::string> reasons = {
      {"unsym", "the matrix is not symmetric: worst at ("},
      {"rect", "line 14: the matrix is 1033 x 320, expected a square one"},
      {"pattern", "line 1: a pattern has no values"},
      {"hermitian", "line 1: hermitian (complex) matrices are not supported"},
      {"badheader", "line 1: unknown "}};
  const auto rows = rows_of(folder / "index.tsv");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    const std::string kind = row[0].substr(0, row[0].find('_'));
    const std::string path = folder / (row[0] + ".mtx.gz");
    if (reasons.count(kind) > 0) {
      const std::string refusal = test::refusal_of([&] { read_symmetric_matrix(path); });
      EXPECT_THAT(refusal, HasSubstr(path));
      EXPECT_THAT(refusal, HasSubstr(reasons.at(kind)));
      continue;
    }
    const SymmetricMatrix a = read_symmetric_matrix(path);
    EXPECT_EQ(std::to_string(a.n()), row[1]);
    EXPECT_EQ(std::to_string(a.notes.entries_in_file), row[3]);
    EXPECT_EQ(a.notes.general_but_symmetric, kind == "general");
  }
}

}  // namespace
}  // namespace clchol::solver
