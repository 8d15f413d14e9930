// What the tests of Matrix Market files share.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/matrix_market.hpp"

namespace clchol::test {

/// What InvalidArgument says when `act` throws it; "(accepted)" if nothing is thrown.
std::string refusal_of(const std::function<void()>& act);

/// The refusal of a matrix with this content, under the name "a.mtx".
std::string matrix_refusal(std::string_view content);

/// `text` as one gzip member.
std::string gzip(std::string_view text);

/// What a file holds.
std::string file_content(const std::filesystem::path& path);
void put_file(const std::filesystem::path& path, std::string_view content);

/// Whether two matrices agree in pattern and in every bit of their values.
bool identical(const solver::SymmetricMatrix& a, const solver::SymmetricMatrix& b);
bool identical(const std::vector<double>& a, const std::vector<double>& b);

/// A new folder, removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// Names of the files in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

}  // namespace clchol::test
