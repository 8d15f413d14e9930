#include "solver/cli/refusal.hpp"

#include "solver/cli/output.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

int refuse(const Verdict& verdict, bool json) {
  print_error(verdict.message);
  Record record;
  record.verdict = verdict;
  if (json) print(to_line(to_json(record)) + "\n");
  return exit_code(verdict.outcome);
}

}  // namespace clchol::cli
