#include "tests/solver/matrix_market/matrix_market_support.hpp"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

namespace clchol::test {

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string matrix_refusal(std::string_view content) {
  return refusal_of([&] { solver::parse_symmetric_matrix(content, "a.mtx"); });
}

std::string gzip(std::string_view text) {
  z_stream zlib = {};
  if (deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string out(deflateBound(&zlib, text.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

bool identical(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool identical(const solver::SymmetricMatrix& a, const solver::SymmetricMatrix& b) {
  return a.lower.n == b.lower.n && a.lower.colptr == b.lower.colptr &&
         a.lower.rowind == b.lower.rowind && identical(a.values, b.values);
}

}  // namespace clchol::test
