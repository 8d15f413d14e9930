"""Memory that a process takes from the system, beside what the analysis predicts.

The numbers hold for a build without sanitizers alone: AddressSanitizer keeps freed blocks and a byte
of its own for every eight of the program.
"""

import unittest

from command_support import CommandTest


class HostPeak(CommandTest):
    def test_peak_of_the_host_is_predicted_within_a_tenth(self):
        for model in ["grid2d:300", "grid3d:30"]:
            for ordering in ["amd", "nd", "nd:best"]:
                for threads in ["1", "2"]:
                    with self.subTest(model=model, ordering=ordering, threads=threads):
                        j = self.solve(model, "--ordering", ordering, "--threads", threads,
                                       "--device", "cpu").json
                        peak = j["peak_host_bytes"]
                        self.assertAlmostEqual(j["predicted_host_bytes"], peak, delta=peak / 10)


if __name__ == "__main__":
    unittest.main()
