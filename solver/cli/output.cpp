#include "solver/cli/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/write_all.hpp"
#include "solver/cli/outcome.hpp"
#include "solver/generate.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::cli {
namespace {

struct Path {
  const char* option;
  const std::string* path;
};

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code unknown;
  if (std::filesystem::equivalent(a, b, unknown)) return true;
  const auto normal = [&unknown](const std::string& path) {
    return std::filesystem::absolute(path, unknown).lexically_normal();
  };
  return normal(a) == normal(b);
}

/// Flag that cancels writes to standard streams; null: none.
std::atomic<const std::atomic<bool>*> streams_cancel = nullptr;

/// Whether the path is a pipe or a device.  These are written in place, and several outputs may go
/// to one of them.
bool is_special(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

void prepare_standard_streams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free descriptor, which is `descriptor`.  Standard output is opened
    // for reading, so that printing a result fails instead of losing the result silently.
    static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

void check_outputs(const Arguments& arguments) {
  const std::string no_file;  // Stands for the matrix if it is a model problem.
  const bool is_file = !solver::is_model_problem(arguments.matrix);
  const std::vector<Path> outputs = {{"OUT", &arguments.converted},
                                     {"-o", &arguments.drawing},
                                     {"-o", &arguments.solution},
                                     {"--write-permutation", &arguments.permutation_output},
                                     {"--save-analysis", &arguments.analysis_output},
                                     {"--save-factor", &arguments.factor_output},
                                     {"--report", &arguments.report},
                                     {"--trace", &arguments.trace}};
  std::vector<Path> taken = {{"the input", is_file ? &arguments.matrix : &no_file},
                             {"-b", &arguments.right_hand_side},
                             {"--analysis", &arguments.analysis},
                             {"--factor", &arguments.factor}};
  if (!is_ordering_word(arguments.ordering)) taken.push_back({"--ordering", &arguments.ordering});
  for (const Path& output : outputs) {
    if (output.path->empty() || is_special(*output.path)) continue;
    for (const Path& other : taken) {
      if (other.path->empty() || !is_same_file(*output.path, *other.path)) continue;
      throw Failure(Outcome::kUsage, std::string(output.option) + " and " + other.option +
                                         " name the same file, " + *output.path);
    }
    taken.push_back(output);
  }
  for (const Path& output : outputs) {
    if (!output.path->empty()) check_writable(*output.path);
  }
}

void check_writable(const std::string& path) {
  write_file([&] {
    if (!is_special(path)) {
      const solver::OutputFile probe(path, 1);  // Without commit(), no file remains.
    } else if (::access(path.c_str(), W_OK) != 0) {
      solver::refuse_system(path, "write the file", errno);
    }
  });
}

void write_file(const std::function<void()>& write) {
  try {
    write();
  } catch (const InvalidArgument& e) {
    throw Failure(Outcome::kUsage, e.what());
  }
}

std::optional<std::int64_t> file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  return static_cast<std::int64_t>(size);
}

void give_up_streams_when(const std::atomic<bool>* cancel) { streams_cancel = cancel; }

void print_error(const std::string& message) { print_log("clchol: " + one_line(message)); }

void print_log(const std::string& log) {
  write_all(STDERR_FILENO, log + "\n", streams_cancel);  // A failure cannot be reported.
}

bool print(const std::string& text) {
  // Flush text that a library has printed, to keep the order.
  return std::fflush(stdout) == 0 && write_all(STDOUT_FILENO, text, streams_cancel) == 0;
}

}  // namespace clchol::cli
