// The functions of open_device.hpp for builds without OpenCL, in which no device can be opened.
#include "solver/device/open_device.hpp"

namespace clchol::solver {

OpenDevice open_device(const gpu::DeviceDescription& /*listed*/, bool /*profiling*/) {
  throw DeviceError("this build is without OpenCL");
}

std::string name_of(const OpenDevice& /*device*/) { return {}; }
std::string names_of(const OpenDevices& /*devices*/) { return {}; }
bool have_double(const OpenDevices& /*devices*/) { return false; }

AnalysisCosts analysis_costs_on(const gpu::DeviceDescription& /*listed*/) { return {}; }
AnalysisCosts analysis_costs_on(const OpenDevice& /*device*/) { return {}; }

template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevices& /*devices*/,
                                              const Analysis& /*analysis*/,
                                              const Options& /*options*/) {
  throw DeviceError("this build is without OpenCL");
}

template <class F>
std::int64_t predict_device_bytes(const OpenDevices& /*devices*/, const Analysis& /*analysis*/,
                                  const Options& /*options*/) {
  throw DeviceError("this build is without OpenCL");
}

template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevices& /*devices*/,
                                             const Analysis& /*analysis*/,
                                             const Options& /*options*/) {
  throw DeviceError("this build is without OpenCL");
}

template std::vector<DeviceMode> predict_device_modes<double>(const OpenDevices&, const Analysis&,
                                                              const Options&);
template std::vector<DeviceMode> predict_device_modes<float>(const OpenDevices&, const Analysis&,
                                                             const Options&);
template std::unique_ptr<Engine<double>> make_device_engine(const OpenDevices&, const Analysis&,
                                                            const Options&);
template std::unique_ptr<Engine<float>> make_device_engine(const OpenDevices&, const Analysis&,
                                                           const Options&);
template std::int64_t predict_device_bytes<double>(const OpenDevices&, const Analysis&,
                                                   const Options&);
template std::int64_t predict_device_bytes<float>(const OpenDevices&, const Analysis&,
                                                  const Options&);

}  // namespace clchol::solver
