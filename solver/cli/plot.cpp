// clchol plot: draws a matrix, its assembly tree or a trace.
#include "base/timer.hpp"
#include "solver/cli/commands.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/plot/spy.hpp"
#include "solver/cli/plot/timeline.hpp"
#include "solver/cli/plot/tree.hpp"
#include "solver/cli/system.hpp"
#include "solver/cli/trace_file.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::cli {
namespace {

/// Draws the matrix, or its assembly tree, in the order in which it would be factored.
std::string matrix_drawing(Session& session) {
  Options options = library_options(session);
  const solver::SymmetricMatrix a = read_system(session, options);
  if (a.n() == 0) throw InvalidArgument(session.arguments().matrix + ": no rows, nothing to draw");
  SparseCholesky<double> solver(options);
  analyze_system(session, a, 1, 0, solver);
  session.progress().begin("drawing", false);
  const std::string name = session.record().matrix.value_or("");
  if (session.arguments().what == "tree") {
    return draw_tree({name, solver.assembly_tree(), solver.analysis_report()});
  }
  return draw_spy({name, a.lower.view(), solver.permutation(), solver.assembly_tree(),
                   solver.analysis_report()});
}

std::string trace_drawing(Session& session) {
  session.progress().begin("reading", false);
  const solver::TraceData trace = read_trace(session.arguments().matrix);
  return draw_timeline(session.record().matrix.value_or(""), trace);
}

}  // namespace

Verdict run_plot(Session& session) {
  const Arguments& arguments = session.arguments();
  session.check_outputs();
  const std::string drawing =
      arguments.what == "timeline" ? trace_drawing(session) : matrix_drawing(session);
  session.check_interrupt();
  const Timer timer;
  session.write_output([&] {
    solver::OutputFile file(arguments.drawing, 1, session.cancel());
    file.append(drawing);
    file.commit();
  });
  session.update([&](Record& r) {
    r.write_s = timer.seconds();
    r.output_bytes = file_bytes(arguments.drawing);
  });
  session.stop_clock();
  return {};
}

}  // namespace clchol::cli
