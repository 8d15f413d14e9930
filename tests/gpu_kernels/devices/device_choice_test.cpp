#include "gpu_kernels/devices/device_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DeviceDescription device(Index flat_index, Index platform, Index index, const char* name) {
  DeviceDescription d;
  d.flat_index = flat_index;
  d.platform = platform;
  d.index = index;
  d.name = name;
  return d;
}

// Devices 0 and 1 are two equal devices of "NVIDIA CUDA"; device 2 is "pthread-10" of the CPU
// platform.
DeviceList three_devices() {
  DeviceList list;
  list.platforms.resize(2);
  list.platforms[0].name = "NVIDIA CUDA";
  list.platforms[0].devices = {device(0, 0, 0, "NVIDIA H200"), device(1, 0, 1, "NVIDIA H200")};
  list.platforms[1].name = "Portable Computing Language";
  list.platforms[1].devices = {device(2, 1, 0, "pthread-10")};
  return list;
}

std::string refusal_of(const DeviceList& list, std::string_view names) {
  try {
    choose_devices(list, split_names(names));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ChooseDevices, DigitsAreTheNumberOverAllPlatforms) {
  EXPECT_THAT(choose_devices(three_devices(), split_names("2")), ElementsAre(2));
}

TEST(ChooseDevices, DigitsAreNeverAPartOfAName) {
  EXPECT_THAT(matching_devices(three_devices(), "10"), IsEmpty());
  EXPECT_THAT(matching_devices(three_devices(), "200"), IsEmpty());
}

TEST(ChooseDevices, ColonSeparatesPlatformAndDevice) {
  EXPECT_THAT(choose_devices(three_devices(), split_names("0:1")), ElementsAre(1));
  EXPECT_THAT(choose_devices(three_devices(), split_names("1:0")), ElementsAre(2));
}

TEST(ChooseDevices, PartsOfNamesMatchWhateverTheCase) {
  EXPECT_THAT(choose_devices(three_devices(), split_names("PTHREAD")), ElementsAre(2));
  EXPECT_THAT(choose_devices(three_devices(), split_names("portable")), ElementsAre(2));
}

TEST(ChooseDevices, NameOfSeveralStandsForTheFirst) {
  EXPECT_THAT(matching_devices(three_devices(), "h200"), ElementsAre(0, 1));
  EXPECT_THAT(choose_devices(three_devices(), split_names("h200")), ElementsAre(0));
}

TEST(ChooseDevices, CommaListsSeveralInTheOrderGiven) {
  EXPECT_THAT(choose_devices(three_devices(), split_names("2,0:1,0")), ElementsAre(2, 1, 0));
}

TEST(ChooseDevices, RefusalsListWhatThereIs) {
  for (const char* names : {"3", "0:2", "2:0", "abacus", "", "0,", ",0", "0,,1", "auto"}) {
    SCOPED_TRACE(names);
    const std::string text = refusal_of(three_devices(), names);
    EXPECT_THAT(text, HasSubstr("no such device"));
    EXPECT_THAT(text, HasSubstr("0 (0:0, NVIDIA H200), 1 (0:1, NVIDIA H200), 2 (1:0, pthread-10)"));
  }
}

TEST(ChooseDevices, DeviceNamedTwiceIsRefused) {
  EXPECT_THAT(refusal_of(three_devices(), "1,0:1"),
              HasSubstr("'0:1': names a device for the second"));
}

TEST(ChooseDevices, WithoutDevicesTheListSaysNone) {
  EXPECT_THAT(refusal_of({}, "0"), HasSubstr("OpenCL devices: none"));
}

TEST(ChooseDevices, EveryFlatIndexIsFound) {
  const DeviceList list = three_devices();
  EXPECT_EQ(device_at(list, 2).name, "pthread-10");
  EXPECT_EQ(device_at(list, 1).index, 1);
}

}  // namespace
}  // namespace clchol::gpu
