// Factorizations and solves by several devices: bits of the results, failures, cancellation,
// delays.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>

#include "tests/numeric/device/team_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

template <class T>
class Team : public DeviceEngineTest<T> {
 protected:
  /// The solution X of A X = B with B(i, r) = 1 + (i + r) mod 7, rows in the factor's order.
  static std::vector<T> solution(DeviceTeam<T>& team, Index n, Index nrhs) {
    test::Rows<T> x(n, nrhs);
    for (Index i = 0; i < n; ++i) {
      for (Index r = 0; r < nrhs; ++r) x(i, r) = static_cast<T>(1 + (i + r) % 7);
    }
    team.solve(x.view(), true, true);
    std::vector<T> values;
    for (Index i = 0; i < n; ++i) {
      for (Index r = 0; r < nrhs; ++r) values.push_back(x(i, r));
    }
    return values;
  }
};

// Double precision only: FactorParts tests both, and tests of solver/device solve in mixed
// precision.
TYPED_TEST_SUITE(Team, testing::Types<double>);

TYPED_TEST(Team, FactorHasTheBitsOfOneDevices) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(10, 9, 9));
  const std::vector<T> values = this->cast(p.a.values);
  const auto panels_of = [&](auto& maker) {
    std::vector<std::vector<T>> panels(static_cast<std::size_t>(p.symbolic.nsuper));
    maker.visit_panels([&](const PanelColumns<T>& of) {
      for (Index j = of.begin; j < of.end; ++j) {
        const T* const column = of.data + j * of.ld;
        panels[of.s].insert(panels[of.s].end(), column + j, column + p.symbolic.nrow(of.s));
      }
    });
    return panels;
  };
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const auto one = panels_of(engine);
  for (const Index count : {3}) {
    SCOPED_TRACE(count);
    const auto made = team_on<T>(runtimes_of(count), p, 2);
    DeviceTeam<T>& team = *made;
    ASSERT_EQ(team.mapping().num_used(), count);
    for (int time = 0; time < 2; ++time) ASSERT_EQ(team.factorize(values).status, Status::kOk);
    EXPECT_EQ(panels_of(team), one);
    EXPECT_EQ(team.diagonal(), engine.diagonal());
  }
}

// A team sums over fronts in the same order as one device.  Solves by waves therefore have the bits
// of one device's x.  Solves by tickets choose other subtrees than one device does, and sums inside
// fronts have another order: x differs by a few eps of its growth.
TYPED_TEST(Team, SolvesAsOneDevice) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(10, 9, 9));
  const Index n = p.symbolic.n;
  const std::vector<T> values = this->cast(p.a.values);
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const bool by_waves = !engine.setup().solves_by_tickets;
  const T tolerance = by_waves ? T{0} : 64 * std::numeric_limits<T>::epsilon();
  for (const Index count : {2, 4}) {
    const auto made = team_on<T>(runtimes_of(count), p, 2);
    DeviceTeam<T>& team = *made;
    ASSERT_EQ(team.mapping().num_used(), count);
    ASSERT_EQ(team.factorize(values).status, Status::kOk);
    // One block of right-hand sides, and several.
    for (const Index nrhs : {1, 21}) {
      for (const auto& [forward, backward] :
           {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
        SCOPED_TRACE(testing::Message() << count << " shares, " << nrhs << " right-hand sides, "
                                        << forward << backward);
        test::Rows<T> x(n, nrhs), expected(n, nrhs);
        for (Index i = 0; i < n; ++i) {
          for (Index r = 0; r < nrhs; ++r) {
            x(i, r) = expected(i, r) = static_cast<T>(1 + (i + r) % 7);
          }
        }
        engine.solve(expected.view(), forward, backward);
        team.solve(x.view(), forward, backward);
        for (Index i = 0; i < n; ++i) {
          for (Index r = 0; r < nrhs; ++r) {
            ASSERT_NEAR(x(i, r), expected(i, r), tolerance * std::abs(expected(i, r)))
                << i << ", " << r;
          }
        }
      }
    }
  }
}

// The least failing column over all shares is the column that one device reports.
TYPED_TEST(Team, FindsTheFirstFailedPivot) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(10, 9, 9));
  const Index n = p.symbolic.n;
  DeviceEngine<T> engine = this->engine_of(p);
  const auto made = team_on<T>(runtimes_of(2), p, 1);
  DeviceTeam<T>& team = *made;
  ASSERT_EQ(team.mapping().num_used(), 2);
  const std::vector<T> good = this->cast(p.a.values);
  for (const std::vector<Index>& bad :
       {std::vector<Index>{0}, {n - 1}, {n / 3, n / 2}, {7, n / 2, n - 1}}) {
    std::vector<T> values = good;
    for (const Index i : bad) values[p.a.pattern.colptr[i]] = T{-5};
    const FactorResult expected = engine.factorize(values, {});
    ASSERT_EQ(expected.status, Status::kNotPositiveDefinite);
    const FactorResult found = team.factorize(values);
    EXPECT_EQ(found.status, expected.status);
    EXPECT_EQ(found.column, expected.column);
    EXPECT_EQ(found.pivot, expected.pivot);
  }
  EXPECT_EQ(team.factorize(good).status, Status::kOk);
}

// ---- Failures -----------------------------------------------------------------------------------

// Commands of any device that succeed before one fails; negative: none fails.
std::atomic<int> commands_until_failure = -1;
bool command_fails_now() { return commands_until_failure >= 0 && commands_until_failure-- == 0; }

// Microseconds that a command waits at most before it is enqueued.
std::atomic<unsigned> longest_delay = 0;
void delay() {
  if (longest_delay == 0) return;
  thread_local unsigned state =
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  state = state * 1664525U + 1013904223U;
  std::this_thread::sleep_for(std::chrono::microseconds((state >> 8) % longest_delay));
}

CL_API_ENTRY cl_int CL_API_CALL disturbed_write(cl_command_queue queue, cl_mem buffer,
                                                cl_bool blocking, std::size_t offset,
                                                std::size_t size, const void* from,
                                                cl_uint num_waits, const cl_event* waits,
                                                cl_event* event) {
  delay();
  if (command_fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from, num_waits, waits, event);
}
CL_API_ENTRY cl_int CL_API_CALL disturbed_read(cl_command_queue queue, cl_mem buffer,
                                               cl_bool blocking, std::size_t offset,
                                               std::size_t size, void* to, cl_uint num_waits,
                                               const cl_event* waits, cl_event* event) {
  delay();
  if (command_fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, num_waits, waits, event);
}
CL_API_ENTRY cl_int CL_API_CALL disturbed_kernel(cl_command_queue queue, cl_kernel kernel,
                                                 cl_uint dimensions, const std::size_t* offset,
                                                 const std::size_t* global,
                                                 const std::size_t* local, cl_uint num_waits,
                                                 const cl_event* waits, cl_event* event) {
  if (command_fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, num_waits, waits,
                                event);
}

const DeviceRuntimes& disturbed_runtimes() {
  static const DeviceRuntimes kMade = [] {
    gpu::ContextCalls calls;
    calls.enqueue_write = &disturbed_write;
    calls.enqueue_read = &disturbed_read;
    calls.enqueue_kernel = &disturbed_kernel;
    DeviceRuntimes made;
    for (int d = 0; d < 3; ++d) {
      made.push_back(runtime_of_rates({{"gflops", 1}, {"group_us", 1}}, calls));
    }
    return made;
  }();
  return kMade;
}

using TeamOfDoubles = Team<double>;

// After any command of any device fails, no share waits for ever, and the next factorization and
// solve have the same bits.
TEST_F(TeamOfDoubles, EveryCommandMayFail) {
  const Analysed p = analysed(test::grid3d(9, 8, 8));
  const Index n = p.symbolic.n;
  const auto team = team_on<double>(disturbed_runtimes(), p, 2);
  ASSERT_EQ(team->mapping().num_used(), 3);
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  const std::vector<double> x = solution(*team, n, 2);
  int failures = 0;
  // Steps grow, so that fewer commands are tried.
  for (int k = 0;; k += 1 + k / 8) {
    commands_until_failure = k;
    try {
      static_cast<void>(team->factorize(p.a.values));
      static_cast<void>(solution(*team, n, 2));
    } catch (const DeviceError&) {
      ++failures;
    }
    const bool was_enough = commands_until_failure >= 0;
    commands_until_failure = -1;
    ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
    ASSERT_EQ(solution(*team, n, 2), x);
    if (was_enough) break;
  }
  EXPECT_GT(failures, 20);
}

// Random delays on either side of hand-overs cause no hang and change no bit.  The environment
// variable CLCHOL_DELAYED_RUNS sets the number of runs: a thousand take half a minute.
TEST_F(TeamOfDoubles, DelaysChangeNothing) {
  const Analysed p = analysed(test::grid3d(5, 5, 4));
  const Index n = p.symbolic.n;
  const DeviceRuntimes runtimes(disturbed_runtimes().begin(), disturbed_runtimes().begin() + 2);
  const auto team = team_on<double>(runtimes, p, 1);
  ASSERT_GT(team->mapping().num_used(), 1);
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  const std::vector<double> x = solution(*team, n, 1);
  longest_delay = 100;
  const char* const asked = std::getenv("CLCHOL_DELAYED_RUNS");
  const int runs = asked != nullptr ? std::max(1, std::atoi(asked)) : 100;
  for (int run = 0; run < runs; ++run) {
    ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
    ASSERT_EQ(solution(*team, n, 1), x) << run;
  }
  longest_delay = 0;
}

// A factorization is cancelled before it begins and while it runs; the next one is complete.
TEST_F(TeamOfDoubles, IsCancelled) {
  const Analysed p = analysed(test::grid3d(10, 9, 9));
  const auto team = team_on<double>(runtimes_of(2), p, 2);
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  const std::vector<double> x = solution(*team, p.symbolic.n, 1);
  std::atomic<bool> cancel = true;
  Control control;
  control.cancel = &cancel;
  EXPECT_EQ(team->factorize(p.a.values, control).status, Status::kInterrupted);
  cancel = false;
  {
    const std::jthread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cancel = true;
    });
    static_cast<void>(team->factorize(p.a.values, control));  // Complete or not, it must end.
  }
  EXPECT_EQ(team->factorize(p.a.values).status, Status::kOk);
  EXPECT_EQ(solution(*team, p.symbolic.n, 1), x);
}

// ---- Predictions --------------------------------------------------------------------------------

// A device with a third of the other's rate gets about a third of the other's work.
TEST_F(TeamOfDoubles, UnequalDevicesHaveUnequalShares) {
  const Analysed p = analysed(test::grid3d(14, 14, 14));
  const DeviceRuntimes runtimes{runtime_of_rates({{"gflops", 1}, {"group_us", 1}}),
                                runtime_of_rates({{"gflops", 3}, {"group_us", 1}})};
  const auto team = team_on<double>(runtimes, p, 2);
  double flops[2] = {0, 0};
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    flops[team->mapping().share[s]] += front_flops(p.symbolic.nrow(s), p.symbolic.ncol(s));
  }
  EXPECT_GT(flops[1], 1.5 * flops[0]);
  EXPECT_GT(flops[0], 0);
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  DeviceEngine<double> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(p.a.values, {}).status, Status::kOk);
  EXPECT_EQ(team->diagonal(), engine.diagonal());
}

// The bytes handed over and the memory of each device are as the mapping predicts.
TEST_F(TeamOfDoubles, BytesAreAsPredicted) {
  const Analysed p = analysed(test::grid3d(10, 9, 9));
  DeviceRuntimes runtimes;
  std::vector<gpu::EventLog> logs(2);
  for (std::size_t d = 0; d < 2; ++d) {
    runtimes.push_back(runtime_of_rates({{"gflops", 1}, {"group_us", 1}}, {}, true));
    runtimes[d]->set_log(&logs[d]);
  }
  const std::uint64_t before = runtimes[0]->context().memory()->now();
  const auto team = team_on<double>(runtimes, p, 2);
  ASSERT_EQ(team->mapping().num_used(), 2);
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  static_cast<void>(solution(*team, p.symbolic.n, 1));
  const auto peak = static_cast<Offset>(runtimes[0]->context().memory()->peak() - before);
  // The memory for the failed pivot is not part of the share's bytes.
  EXPECT_NEAR(static_cast<double>(peak), static_cast<double>(team->bytes(0)), 0.01 * peak);

  for (gpu::EventLog& log : logs) static_cast<void>(log.take());
  ASSERT_EQ(team->factorize(p.a.values).status, Status::kOk);
  Offset sent = 0, received = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    for (const gpu::LoggedEvent& command : logs[d].take()) {
      if (command.queue == "copies to the host") sent += static_cast<Offset>(command.bytes);
      if (command.queue == "copies to the device") received += static_cast<Offset>(command.bytes);
    }
    runtimes[d]->set_log(nullptr);
  }
  EXPECT_EQ(sent, team->mapping().handed_over * Offset{sizeof(double)});
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace clchol::numeric
