// Lanes and bars of a trace.
#include "solver/cli/plot/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "solver/cli/plot/timeline_layout.hpp"

namespace clchol::cli {
namespace {

using solver::TraceData;
using testing::HasSubstr;
using testing::Not;

solver::TraceEvent event(const char* name, Index track, double start, double duration) {
  return {.name = name, .category = "", .track = track, .start_s = start, .duration_s = duration};
}

TEST(TimelineLayout, TimesBeginWithTheFirstEvent) {
  const TraceData trace{{{"p", "t"}}, {event("b", 0, 13, 2), event("a", 0, 10, 3)}};

  const TimelineLayout layout = lay_out(trace, 0.001);

  EXPECT_EQ(layout.span_s, 5);
  ASSERT_EQ(layout.lanes.size(), 1U);
  ASSERT_EQ(layout.lanes[0].bars.size(), 2U);
  EXPECT_EQ(layout.lanes[0].bars[0].start_s, 0);
  EXPECT_EQ(layout.lanes[0].bars[1].start_s, 3);
  EXPECT_EQ(layout.lanes[0].bars[1].end_s, 5);
  EXPECT_EQ(layout.lanes[0].depth, 1);
}

TEST(TimelineLayout, NamesAreSummedOverTracksAndSorted) {
  const TraceData trace{{{"p", "t"}, {"q", "u"}},
                        {event("a", 0, 0, 3), event("b", 1, 0, 4), event("a", 1, 5, 2)}};

  const TimelineLayout layout = lay_out(trace, 0.001);

  ASSERT_EQ(layout.names.size(), 2U);
  EXPECT_EQ(layout.names[0].name, "a");
  EXPECT_EQ(layout.names[0].seconds, 5);
  EXPECT_EQ(layout.names[0].count, 2);
  EXPECT_EQ(layout.names[1].name, "b");
}

TEST(TimelineLayout, EnclosedEventsHaveRowsOfTheirOwn) {
  const TraceData trace{{{"p", "t"}},
                        {event("whole", 0, 0, 10), event("first", 0, 0, 4), event("part", 0, 1, 1),
                         event("second", 0, 4, 6)}};

  const TimelineLane lane = lay_out(trace, 0.001).lanes.at(0);

  ASSERT_EQ(lane.bars.size(), 4U);
  EXPECT_EQ(lane.depth, 3);
  EXPECT_EQ(lane.bars[0].depth, 0);
  EXPECT_EQ(lane.bars[1].depth, 1);
  EXPECT_EQ(lane.bars[2].depth, 2);
  EXPECT_EQ(lane.bars[3].depth, 1);
}

TEST(TimelineLayout, LanesOfAProcessStandTogether) {
  const TraceData trace{{{"p", "1"}, {"q", "1"}, {"p", "2"}, {"p", "idle"}},
                        {event("a", 2, 0, 1), event("a", 1, 0, 1), event("a", 0, 0, 1)}};

  const TimelineLayout layout = lay_out(trace, 0.001);

  ASSERT_EQ(layout.lanes.size(), 3U);
  EXPECT_EQ(layout.lanes[0].track, (solver::TraceTrack{"p", "1"}));
  EXPECT_EQ(layout.lanes[1].track, (solver::TraceTrack{"p", "2"}));
  EXPECT_EQ(layout.lanes[2].track, (solver::TraceTrack{"q", "1"}));
}

TEST(TimelineLayout, ShortEventsOfOneNameAreOneBar) {
  TraceData trace{{{"p", "t"}}, {}};
  for (int k = 0; k < 1000; ++k) trace.events.push_back(event("a", 0, k, 0.9));

  const TimelineLayout layout = lay_out(trace, 0.01);

  ASSERT_EQ(layout.lanes[0].bars.size(), 1U);
  EXPECT_DOUBLE_EQ(layout.lanes[0].bars[0].end_s, 999.9);
  EXPECT_EQ(layout.names[0].count, 1000);
}

RC_GTEST_PROP(TimelineProperty, BarsAreBoundedByTheResolution, ()) {
  TraceData trace{{{"p", "t"}}, {}};
  const char* const names[] = {"a", "b", "c"};
  double time = 0, total = 0;
  const int count = *rc::gen::inRange(1, 2000);
  for (int k = 0; k < count; ++k) {
    const double duration = *rc::gen::inRange(0, 100) * 1e-3;
    trace.events.push_back(event(names[*rc::gen::inRange(0, 3)], 0, time, duration));
    time += duration + *rc::gen::inRange(0, 50) * 1e-3;
    total += duration;
  }
  constexpr double kResolution = 0.01;

  const TimelineLayout layout = lay_out(trace, kResolution);

  // Two bars may begin within one step of the resolution: a long bar and a short bar behind it.
  RC_ASSERT(std::ssize(layout.lanes.at(0).bars) <= 2 / kResolution + 2);
  double summed = 0;
  for (const TimelineName& name : layout.names) summed += name.seconds;
  RC_ASSERT(std::abs(summed - total) <= 1e-9 * (total + 1));
}

solver::TraceCounter counter(std::vector<solver::TraceCounter::Sample> samples) {
  return {.process = "p", .name = "host memory", .budget = 100, .samples = std::move(samples)};
}

TEST(TimelineLayout, AreasHaveAStepForEachSample) {
  const TraceData trace{
      {{"p", "t"}}, {event("a", 0, 10, 10)}, {counter({{11, 50}, {13, 50}, {14, 70}, {25, 0}})}};

  const TimelineArea area = lay_out(trace, 0.001).areas.at(0);

  EXPECT_EQ(area.peak, 70);
  EXPECT_EQ(area.budget, 100);
  ASSERT_EQ(area.steps.size(), 3U);
  EXPECT_EQ(area.steps[0].start_s, 1);
  EXPECT_EQ(area.steps[0].bytes, 50);
  EXPECT_EQ(area.steps[1].start_s, 4);
  EXPECT_EQ(area.steps[1].bytes, 70);
  EXPECT_EQ(area.steps[2].start_s, 10);  // Samples after the last event are at its end.
}

TEST(TimelineLayout, AStepOfManySamplesHasTheGreatest) {
  const TraceData trace{{{"p", "t"}},
                        {event("a", 0, 0, 100)},
                        {counter({{0, 5}, {50, 5}, {50.1, 80}, {50.2, 20}, {90, 30}})}};

  const TimelineArea area = lay_out(trace, 0.01).areas.at(0);

  ASSERT_EQ(area.steps.size(), 4U);
  EXPECT_EQ(area.steps[0].bytes, 5);
  EXPECT_EQ(area.steps[1].start_s, 50);
  EXPECT_EQ(area.steps[1].bytes, 80);
  EXPECT_EQ(area.steps[2].start_s, 51);  // The last of the samples that share a step.
  EXPECT_EQ(area.steps[2].bytes, 20);
  EXPECT_EQ(area.steps[3].start_s, 90);
}

RC_GTEST_PROP(TimelineProperty, StepsAreBoundedAndKeepThePeak, ()) {
  std::vector<solver::TraceCounter::Sample> samples;
  const int count = *rc::gen::inRange(1, 3000);
  Offset peak = 0;
  for (int k = 0; k < count; ++k) {
    samples.push_back({k * 1e-3, *rc::gen::inRange(0, 1000)});
    peak = std::max(peak, samples.back().bytes);
  }
  const TraceData trace{{{"p", "t"}}, {event("a", 0, 0, 3)}, {counter(samples)}};

  const TimelineArea area = lay_out(trace, 0.01).areas.at(0);

  RC_ASSERT(std::ssize(area.steps) <= 202);
  Offset drawn = 0;
  for (const TimelineStep& step : area.steps) drawn = std::max(drawn, step.bytes);
  RC_ASSERT(drawn == peak);
  RC_ASSERT(area.peak == peak);
}

TEST(Timeline, AreasHaveTheirBudget) {
  TraceData trace{{{"p", "t"}}, {event("a", 0, 0, 1)}, {counter({{0, 50'000}})}};
  trace.counters[0].budget = 60'000;

  const std::string drawing = draw_timeline("t.json", trace);

  EXPECT_THAT(drawing, HasSubstr("host memory"));
  EXPECT_THAT(drawing, HasSubstr("peak 50.0 kB"));
  EXPECT_THAT(drawing, HasSubstr("budget 60.0 kB"));
  EXPECT_THAT(drawing, Not(HasSubstr("nan")));
}

TEST(Timeline, ABudgetFarAboveTheAreaHasNoLine) {
  TraceData trace{{{"p", "t"}}, {event("a", 0, 0, 1)}, {counter({{0, 50'000}})}};
  trace.counters[0].budget = 60'000;
  const std::string near = draw_timeline("t.json", trace);
  trace.counters[0].budget = 60'000'000;

  const std::string far = draw_timeline("t.json", trace);

  EXPECT_THAT(far, HasSubstr("budget 60.0 MB"));
  const auto lines = [](const std::string& drawing) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = drawing.find("<line", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(lines(far) + 1, lines(near));
}

TEST(Timeline, TraceWithoutEventsIsRefused) {
  EXPECT_THROW(draw_timeline("t.json", {{{"p", "t"}}, {}}), InvalidArgument);
}

TEST(Timeline, ManyEventsMakeNoLargeDrawing) {
  TraceData trace{{{"p", "t"}}, {}};
  for (int k = 0; k < 100000; ++k) {
    trace.events.push_back(event(k % 3 == 0 ? "gemm" : "trsm", 0, k * 1e-6, 0.8e-6));
  }

  EXPECT_LT(draw_timeline("t.json", trace).size(), 500'000U);
}

TEST(Timeline, NamesBeyondTheColoursAreSummed) {
  TraceData trace{{{"p", "t"}}, {}};
  for (int k = 0; k < 16; ++k) {
    trace.events.push_back(event(("kernel_" + std::to_string(k)).c_str(), 0, k, 0.5));
  }

  const std::string drawing = draw_timeline("t.json", trace);

  EXPECT_THAT(drawing, HasSubstr("3 other names"));
}

TEST(Timeline, EventsWithoutDurationAreDrawn) {
  const std::string drawing = draw_timeline("t.json", {{{"p", "t"}}, {event("a", 0, 1, 0)}});

  EXPECT_THAT(drawing, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace clchol::cli
