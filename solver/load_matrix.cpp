#include "solver/load_matrix.hpp"

#include <utility>

#include "base/timer.hpp"
#include "solver/generate.hpp"
#include "solver/harwell_boeing/reader.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/foreign.hpp"
#include "solver/matrix_market/reader.hpp"

namespace clchol::solver {
namespace {

SymmetricMatrix make(const std::string& name) {
  const Timer timer;
  SymmetricMatrix a = make_model_problem(name);
  a.notes.seconds = timer.seconds();
  return a;
}

SymmetricMatrix read(const std::string& path, const ReadOptions& options) {
  TextSource source(ByteStream::open(path));
  return is_harwell_boeing(source.peek()) ? read_harwell_boeing_text(std::move(source), options)
                                          : read_symmetric_text(std::move(source), options);
}

}  // namespace

SymmetricMatrix load_matrix(const std::string& name, const ReadOptions& options) {
  if (is_model_problem(name)) return make(name);
  return with_memory_errors(name, [&] { return read(name, options); });
}

}  // namespace clchol::solver
