#include "gpu_kernels/devices/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/devices/cl_info.hpp"
#include "gpu_kernels/devices/embedded_text.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/files.hpp"

namespace clchol::gpu {
namespace {

using test::put_file;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr WorkGroupLimits kRoomy{1024, 48 << 10};

DeviceTuning tuning_of_a_device() {
  return {"Some \"Device\"",
          "1.2",
          "2026-11-22",
          "clchol tune",
          {{"gemm",
            "plain",
            "double",
            {2048, 8192},
            GemmParams{.tile_m = 128, .tile_n = 64, .tile_k = 8, .item_m = 8, .item_n = 8}
                .to_params()}}};
}

TEST(TuningData, IsReadAsItWasWritten) {
  const DeviceTuning written = tuning_of_a_device();

  const DeviceTuning read = parse_tuning(to_json(written));

  EXPECT_EQ(read.device, written.device);
  EXPECT_EQ(read.driver, "1.2");
  EXPECT_EQ(read.date, "2026-11-22");
  EXPECT_EQ(read.command, "clchol tune");
  ASSERT_THAT(read.kernels, SizeIs(1));
  EXPECT_EQ(read.kernels[0].kernel, "gemm");
  EXPECT_THAT(read.kernels[0].sizes, ElementsAre(2048, 8192));
  EXPECT_EQ(read.kernels[0].params, written.kernels[0].params);
  EXPECT_EQ(to_json(read), to_json(written));
}

TEST(TuningData, EveryTruncationIsRefused) {
  const std::string text = trimmed(to_json(tuning_of_a_device()));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(parse_tuning(text.substr(0, length)), InvalidArgument) << length;
  }
}

TEST(TuningData, WrongTypesAndFormatsAreRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([] { parse_tuning(R"({"format": 2})"); }),
              HasSubstr("format 2, 1 is known"));
  for (const char* text :
       {"[]", "1", "{}", R"({"format": 1})", R"({"format": "one"})",
        R"({"format":1,"device":1,"driver":"","date":"","command":"","kernels":[]})",
        R"({"format":1,"device":"","driver":"","date":"","command":"","kernels":[{}]})",
        R"({"format":1,"device":"","driver":"","date":"","command":"","kernels":[7]})"}) {
    EXPECT_THROW(parse_tuning(text), InvalidArgument) << text;
  }
}

TEST(TuningData, ShippedFilesAreSoundAndNamedByTheirDevice) {
  for (const EmbeddedText& file : tuning_texts()) {
    SCOPED_TRACE(file.name);
    const DeviceTuning tuning = parse_tuning(file.text);
    EXPECT_EQ(tuning_file_name(tuning.device), file.name);
    for (const KernelTuning& row : tuning.kernels) {
      const bool tensor = row.variant.starts_with("tensor");
      EXPECT_TRUE(row.kernel != "gemm" || tensor || GemmParams::from(row.params).valid());
      EXPECT_TRUE(row.kernel != "gemm" || !tensor || TensorParams::from(row.params).valid());
      EXPECT_TRUE(row.kernel != "potrf" || PanelParams::from(row.params).valid());
    }
  }
}

TEST(TuningFileName, HasLettersAndDigitsAlone) {
  EXPECT_EQ(tuning_file_name("NVIDIA H200"), "nvidia-h200.json");
  EXPECT_EQ(tuning_file_name("../pthread (TM) "), "pthread-tm.json");
  EXPECT_EQ(tuning_file_name(""), ".json");
}

TEST(TuningLookup, UnknownDeviceHasTheDefaults) {
  const Tuning tuning("abacus", "");

  EXPECT_THAT(tuning.files(), SizeIs(1));
  EXPECT_EQ(tuning.files().front().device, "default");
  EXPECT_EQ(gemm_params<double>(tuning, "plain", kRoomy).tile_m, 64);
}

// An unknown device with tensor cores gets parameters for any product.
TEST(TuningLookup, UnknownDeviceHasTilesForTensorCoresBySize) {
  const WorkGroupLimits limits{1024, 227 << 10};
  for (const char* device : {"abacus", "NVIDIA H200"}) {
    const Tuning tuning(device, "");
    for (const Index form : {0, int{CLCHOL_LOWER}}) {
      MatrixProduct p{};
      p.form = form;
      p.m = p.n = p.k = 8192;
      EXPECT_EQ(tensor_params(tuning, p, limits).tile_m, 128);
      p.m = p.n = p.k = 100;
      EXPECT_LT(tensor_params(tuning, p, limits).tile_m, 128);
      EXPECT_EQ(tensor_params(tuning, p, limits).least_tiles, 0);
    }
  }
}

TEST(TuningLookup, UsersFileComesFirst) {
  const TemporaryFolder folder;
  put_file(folder.file("some-device.json"), to_json(tuning_of_a_device()));

  const Tuning tuning("Some Device", folder.path());

  EXPECT_EQ(gemm_params<double>(tuning, "plain", kRoomy).tile_m, 128);
  // The device has no row for float.
  EXPECT_EQ(gemm_params<float>(tuning, "plain", kRoomy).tile_m, 64);
}

TEST(TuningLookup, DamagedUsersFileIsLeftAsideAndNoted) {
  const TemporaryFolder folder;
  put_file(folder.file("some-device.json"), "{");

  const Tuning tuning("Some Device", folder.path());

  EXPECT_EQ(gemm_params<double>(tuning, "plain", kRoomy).tile_m, 64);
  ASSERT_THAT(tuning.notes(), SizeIs(1));
  EXPECT_THAT(tuning.notes().front(), HasSubstr("some-device.json: tuning data: "));
}

TEST(TuningLookup, RowThatIsInvalidOrDoesNotFitIsPassedOver) {
  const TemporaryFolder folder;
  DeviceTuning bad = tuning_of_a_device();
  for (const Index item_m : {0, 7, -8}) {
    bad.kernels[0].params["item_m"] = item_m;
    put_file(folder.file("some-device.json"), to_json(bad));
    EXPECT_EQ(gemm_params<double>(Tuning("Some Device", folder.path()), "plain", kRoomy).tile_m, 64)
        << item_m;
  }
  put_file(folder.file("some-device.json"), to_json(tuning_of_a_device()));
  const WorkGroupLimits few_items{100, 48 << 10};  // The row needs 128 work-items.
  EXPECT_NE(gemm_params<double>(Tuning("Some Device", folder.path()), "plain", few_items).tile_m,
            128);
}

TEST(TuningLookup, SmallDevicesGetSmallerTiles) {
  const Tuning tuning("abacus", "");
  for (const std::uint64_t items : {1, 16, 64, 128, 256}) {
    for (const std::uint64_t bytes : {16, 1 << 10, 16 << 10}) {
      SCOPED_TRACE(std::to_string(items) + " work-items, " + std::to_string(bytes) + " bytes");

      const GemmParams params = gemm_params<double>(tuning, "plain", {items, bytes});

      EXPECT_TRUE(params.valid());
      EXPECT_LE(static_cast<std::uint64_t>(params.work_group_size()), items);
      EXPECT_LE(params.local_bytes(8), bytes);
    }
  }
}

TEST(TuningLookup, SmallDevicesGetNarrowerPanels) {
  const Tuning tuning("abacus", "");
  EXPECT_EQ(panel_params<double>(tuning, kRoomy).block, 64);
  EXPECT_EQ(panel_params<double>(tuning, {1024, 32 << 10}).block, 32);
  EXPECT_EQ(panel_params<float>(tuning, {1024, 32 << 10}).block, 64);
  EXPECT_LE(panel_params<double>(tuning, {16, 48 << 10}).work_group_size(), 16);
}

TEST(PanelParams, GoThroughNamesUnchangedAndAreChecked) {
  const PanelParams params{.block = 32, .rows = 96, .few_tiles = 7};

  EXPECT_EQ(PanelParams::from(params.to_params()).to_params(), params.to_params());
  EXPECT_EQ(params.build_options(), "-DBLOCK=32 -DROWS=96");
  EXPECT_EQ(params.local_bytes(8), (32U * 32 + 64) * 8);
  EXPECT_TRUE(params.valid());
  EXPECT_FALSE((PanelParams{.block = 12}.valid()));
  EXPECT_FALSE((PanelParams{.rows = 0}.valid()));
}

TEST(GemmParams, SizesThatDoNotDivideAreInvalid) {
  EXPECT_TRUE(GemmParams{}.valid());
  EXPECT_FALSE((GemmParams{.item_m = 3}.valid()));
  EXPECT_FALSE((GemmParams{.warp_m = 3}.valid()));
  EXPECT_FALSE((GemmParams{.warp_n = 32}.valid()));
  EXPECT_FALSE((GemmParams{.vector = 3}.valid()));
  EXPECT_FALSE((GemmParams{.vector = 8}.valid()));
  EXPECT_FALSE((GemmParams{.fragments = 3}.valid()));
  EXPECT_FALSE((GemmParams{.buffers = 0}.valid()));
}

TEST(GemmParams, OptionsNameEveryParameter) {
  EXPECT_EQ(GemmParams{}.build_options(),
            "-DTILE_M=64 -DTILE_N=64 -DTILE_K=8 -DITEM_M=4 -DITEM_N=4 -DWARP_M=8 -DWARP_N=4 "
            "-DVECTOR=2 -DFRAGMENTS=1 -DBUFFERS=2");
}

TEST(GemmParams, GoThroughNamesUnchanged) {
  const GemmParams params{.tile_m = 8, .tile_n = 16, .tile_k = 4, .item_m = 2, .item_n = 1};

  EXPECT_EQ(GemmParams::from(params.to_params()).build_options(), params.build_options());
  EXPECT_EQ(GemmParams::from({{"tile_m", 32}}).tile_m, 32);
  EXPECT_EQ(params.work_group_size(), 64);
  EXPECT_EQ(params.local_bytes(8), 24U * 4 * 8 * 2);
}

}  // namespace
}  // namespace clchol::gpu
