// Shared by the tests of Matrix Market files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/support/files.hpp"

namespace clchol::test {

/// The message of the InvalidArgument that `act` throws; "(accepted)" if nothing is thrown.
std::string refusal_of(const std::function<void()>& act);

/// The message with which a file "a.mtx" of this content is refused, or "(accepted)".
std::string matrix_refusal(std::string_view content);

/// `text` as one gzip member.
std::string gzip(std::string_view text);

/// Whether two matrices agree in pattern and in every bit of their values.
bool identical(const solver::SymmetricMatrix& a, const solver::SymmetricMatrix& b);
bool identical(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace clchol::test
