// clchol generate, clchol convert: generates or reads a matrix and writes a Matrix Market file.
#include "base/timer.hpp"
#include "solver/cli/commands.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/system.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

Verdict run_convert(Session& session) {
  const std::string& path = session.arguments().converted;
  session.check_outputs();
  const solver::SymmetricMatrix a = read_matrix(session);
  session.check_interrupt();
  session.progress().begin("writing", false);
  const Timer timer;
  solver::WriteOptions options;
  options.threads = session.arguments().threads;
  options.cancel = session.cancel();
  session.write_output(
      [&] { solver::write_symmetric_matrix(path, a.lower.view(), a.values, options); });
  session.update([&](Record& r) {
    r.write_s = timer.seconds();
    r.output_bytes = file_bytes(path);
  });
  session.stop_clock();
  return {};
}

}  // namespace clchol::cli
