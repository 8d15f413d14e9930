// Trace files: an independent parser reads what is written; traces of other programs are read.
#include "solver/cli/trace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"

namespace clchol::cli {
namespace {

using nlohmann::json;
using solver::TraceData;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TraceData small_trace() {
  TraceData trace{{{"host", "phases"}, {"GPU", "queue main"}, {"GPU", "queue \"two\""}}, {}};
  trace.events = {
      {.name = "factor", .category = "phase", .track = 0, .start_s = 0.001, .duration_s = 0.002},
      {.name = "upload",
       .category = "transfer",
       .track = 1,
       .start_s = 0.0015,
       .duration_s = 1.25e-7,
       .arguments = {{"bytes", std::int64_t{80}}, {"queued_us", 1400.5}, {"to", std::string("L")}}},
      {.name = "gemm", .category = "kernel", .track = 2}};
  return trace;
}

template <class F>
std::string message_of(const F& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

class TraceFile : public testing::Test {
 protected:
  json written(const TraceData& trace) {
    write_trace(folder_.file("t.json"), trace);
    return json::parse(test::file_content(folder_.file("t.json")));
  }
  test::TemporaryFolder folder_;
};

TEST_F(TraceFile, EventsAreCompleteAndInMicroseconds) {
  const json events = written(small_trace()).at("traceEvents");

  std::vector<json> complete;
  for (const json& event : events) {
    if (event.at("ph") == "X") complete.push_back(event);
  }
  ASSERT_EQ(complete.size(), 3U);
  EXPECT_EQ(complete[0], json({{"name", "factor"},
                               {"cat", "phase"},
                               {"ph", "X"},
                               {"ts", 1000.0},
                               {"dur", 2000.0},
                               {"pid", 1},
                               {"tid", 1},
                               {"args", json::object()}}));
  EXPECT_EQ(complete[1].at("dur"), 0.125);
  EXPECT_EQ(complete[1].at("args"), json({{"bytes", 80}, {"queued_us", 1400.5}, {"to", "L"}}));
  EXPECT_EQ(complete[1].at("pid"), 2);
  EXPECT_EQ(complete[2].at("tid"), 2);
}

TEST_F(TraceFile, MetadataNameProcessesAndThreads) {
  const json events = written(small_trace()).at("traceEvents");

  std::vector<std::string> names;
  for (const json& event : events) {
    if (event.at("ph") != "M") continue;
    names.push_back(event.at("name").get<std::string>() + " " + event.at("pid").dump() + " " +
                    event.at("tid").dump() + " " + event.at("args").at("name").get<std::string>());
  }
  EXPECT_THAT(names,
              ElementsAre("process_name 1 1 host", "thread_name 1 1 phases", "process_name 2 1 GPU",
                          "thread_name 2 1 queue main", "thread_name 2 2 queue \"two\""));
}

TEST_F(TraceFile, ComesBack) {
  const TraceData trace = small_trace();
  for (const char* name : {"t.json", "t.json.gz"}) {
    write_trace(folder_.file(name), trace);

    const TraceData read = read_trace(folder_.file(name));

    EXPECT_EQ(read.tracks, trace.tracks);
    ASSERT_EQ(read.events.size(), trace.events.size());
    for (std::size_t k = 0; k < read.events.size(); ++k) {
      EXPECT_EQ(read.events[k].name, trace.events[k].name);
      EXPECT_EQ(read.events[k].category, trace.events[k].category);
      EXPECT_EQ(read.events[k].track, trace.events[k].track);
      // Times are written to the nanosecond.
      EXPECT_NEAR(read.events[k].start_s, trace.events[k].start_s, 1e-9);
      EXPECT_NEAR(read.events[k].duration_s, trace.events[k].duration_s, 1e-9);
    }
  }
}

TraceData trace_with_counters() {
  TraceData trace = small_trace();
  trace.counters = {{.process = "GPU",
                     .name = "device memory",
                     .budget = 1000,
                     .samples = {{0.001, 640}, {0.0025, 320}}},
                    {.process = "alone", .name = "file", .samples = {{0.002, 0}}}};
  return trace;
}

TEST_F(TraceFile, SamplesAreCounterEvents) {
  const json events = written(trace_with_counters()).at("traceEvents");

  std::vector<json> samples, budgets;
  for (const json& event : events) {
    if (event.at("ph") == "C") samples.push_back(event);
    if (event.at("name") == "memory_budget") budgets.push_back(event);
  }
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[1], json({{"name", "device memory"},
                              {"cat", "memory"},
                              {"ph", "C"},
                              {"ts", 2500.0},
                              {"pid", 2},
                              {"args", {{"bytes", 320}}}}));
  EXPECT_EQ(samples[2].at("pid"), 3);
  ASSERT_EQ(budgets.size(), 1U);
  EXPECT_EQ(budgets[0].at("ph"), "M");
  EXPECT_EQ(budgets[0].at("args"), json({{"name", "device memory"}, {"bytes", 1000}}));
}

TEST_F(TraceFile, CountersComeBack) {
  const TraceData trace = trace_with_counters();
  write_trace(folder_.file("t.json"), trace);

  const TraceData read = read_trace(folder_.file("t.json"));

  ASSERT_EQ(read.counters.size(), 2U);
  EXPECT_EQ(read.counters[0].process, "GPU");
  EXPECT_EQ(read.counters[0].name, "device memory");
  EXPECT_EQ(read.counters[0].budget, 1000);
  ASSERT_EQ(read.counters[0].samples.size(), 2U);
  EXPECT_NEAR(read.counters[0].samples[1].time_s, 0.0025, 1e-9);
  EXPECT_EQ(read.counters[0].samples[1].bytes, 320);
  EXPECT_EQ(read.counters[1].process, "process 3");  // No track has named it.
  EXPECT_EQ(read.counters[1].budget, std::nullopt);
}

TEST_F(TraceFile, EmptyTraceIsAFileToo) { EXPECT_TRUE(written({}).at("traceEvents").empty()); }

TEST_F(TraceFile, NamesThatAreNoUtf8AreReplaced) {
  const json root = written({{{"host", "t"}}, {{.name = "a\xff", .category = "c", .track = 0}}});

  EXPECT_EQ(root.at("traceEvents").back().at("name"), "a\ufffd");
}

TEST_F(TraceFile, UnwritableOneIsNamed) {
  const std::string path = folder_.file("missing/t.json");

  EXPECT_THAT(message_of([&] { write_trace(path, small_trace()); }), HasSubstr(path));
  EXPECT_THAT(folder_.names(), ElementsAre());
}

TEST_F(TraceFile, FullDiskLeavesNothing) {
  TraceData trace = small_trace();
  trace.events.resize(2000, trace.events.front());
  const test::FileSizeLimit limit(1000);

  EXPECT_THAT(message_of([&] { write_trace(folder_.file("t.json"), trace); }), HasSubstr("t.json"));
  EXPECT_THAT(folder_.names(), ElementsAre());
}

TEST(ParseTrace, PlainArrayOfEventsWithoutNames) {
  const TraceData trace = parse_trace(
      R"([{"ph":"X","name":"a","ts":5,"dur":2,"pid":7,"tid":"main"},{"ph":"B","name":"b","ts":6}])",
      "t");

  EXPECT_THAT(trace.tracks, ElementsAre(solver::TraceTrack{"process 7", "thread main"}));
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_DOUBLE_EQ(trace.events[0].start_s, 5e-6);
  EXPECT_DOUBLE_EQ(trace.events[0].duration_s, 2e-6);
}

TEST(ParseTrace, CountersOfOtherThingsAreSkipped) {
  const TraceData trace = parse_trace(
      R"([{"ph":"C","name":"cpu","ts":5,"pid":7,"args":{"MHz":3000}},
          {"ph":"C","name":"no arguments","ts":5,"pid":7},
          {"ph":"C","name":"memory","ts":6,"pid":7,"args":{"bytes":2}},
          {"ph":"C","name":"memory","ts":5,"pid":7,"args":{"bytes":1}}])",
      "t");

  ASSERT_EQ(trace.counters.size(), 1U);
  EXPECT_EQ(trace.counters[0].name, "memory");
  ASSERT_EQ(trace.counters[0].samples.size(), 2U);
  EXPECT_EQ(trace.counters[0].samples[0].bytes, 1);  // In the order of their times.
}

TEST(ParseTrace, NamesMayComeLast) {
  const TraceData trace = parse_trace(
      R"([{"ph":"X","name":"a","ts":0,"dur":2,"pid":1,"tid":1},
          {"ph":"M","name":"process_name","pid":1,"args":{"name":"P"}},
          {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"T"}}])",
      "t");

  EXPECT_THAT(trace.tracks, ElementsAre(solver::TraceTrack{"P", "T"}));
}

TEST(ParseTrace, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "{", "[1]", "{}", R"({"traceEvents":3})", R"([{"name":"a"}])",
        R"([{"ph":"X","name":"a"}])", R"([{"ph":"X","name":"a","ts":"soon"}])",
        R"([{"ph":"X","name":"a","ts":0,"dur":-1}])", R"([{"ph":"M","name":"thread_name"}])"}) {
    EXPECT_THAT(message_of([&] { parse_trace(text, "t.json"); }),
                AllOf(HasSubstr("t.json"), HasSubstr("no trace")))
        << text;
  }
}

}  // namespace
}  // namespace clchol::cli
