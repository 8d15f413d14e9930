"""What tests of `clchol solve --device` share."""

import pathlib
import tempfile

from command_support import CommandTest


class DeviceCommandTest(CommandTest):
    """On whatever OpenCL device there is: PoCL where there is no other.  All tests of a program share
    the caches of compiled kernels: compilers take longer than everything else."""

    holder = tempfile.TemporaryDirectory()
    caches = pathlib.Path(holder.name)

    def setUp(self):
        super().setUp()
        platforms = self.run_command("devices", "--json").json["opencl"]["platforms"]
        self.devices = [device for platform in platforms for device in platform["devices"]]
        if not self.devices:
            self.skipTest("no OpenCL device on this machine")
        if not self.devices[0]["fp64"]:
            self.skipTest("the device has no double precision")

    def environment(self, extra):
        environment = super().environment(extra)
        environment["POCL_CACHE_DIR"] = str(self.caches / "pocl")
        environment["CLCHOL_CACHE"] = str(self.caches / "clchol")
        environment.update(extra or {})
        return environment

    def solve_on_device(self, *arguments, **options):
        result = self.solve(*arguments, "--device", 0, timeout=600, **options)
        self.assertEqual(result.json["engine"], "opencl")
        self.assertEqual(result.json["device"], self.devices[0]["name"])
        self.assertGreater(result.json["peak_device_bytes"], 0)
        self.assertGreater(result.json["predicted_device_bytes"], 0)
        return result
