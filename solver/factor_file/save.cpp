#include <algorithm>
#include <cstring>

#include "ordering/cancel.hpp"
#include "solver/analysis_file.hpp"
#include "solver/factor_file/factor_file.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::solver {
namespace {

using factor_file::checksum_of;
using factor_file::FirstPage;
using factor_file::Header;
using factor_file::kBlockBytes;
using factor_file::kMagic;
using factor_file::kPageBytes;
using factor_file::kVersion;

/// Writes a stream of bytes to the file in blocks, and computes the checksum of each block.
class BlockWriter {
 public:
  explicit BlockWriter(OutputFile& file) : file_(file), block_(kBlockBytes) {}

  void append(const void* bytes, Offset size) {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const Offset piece = std::min(size, kBlockBytes - filled_);
      std::memcpy(block_.data() + filled_, from, static_cast<std::size_t>(piece));
      from += piece;
      size -= piece;
      filled_ += piece;
      if (filled_ == kBlockBytes) write();
    }
  }
  /// Fills the last block with zeros to whole pages, and writes it.
  void finish() {
    const Offset bytes = (filled_ + kPageBytes - 1) / kPageBytes * kPageBytes;
    std::fill(block_.data() + filled_, block_.data() + bytes, '\0');
    filled_ = bytes;
    if (filled_ > 0) write();
  }
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }

 private:
  void write() {
    checksums_.push_back(checksum_of(block_.data(), static_cast<std::size_t>(filled_)));
    file_.append({block_.data(), static_cast<std::size_t>(filled_)});
    filled_ = 0;
  }

  OutputFile& file_;
  AlignedBuffer<char> block_;
  Offset filled_ = 0;
  std::vector<std::uint64_t> checksums_;
};

/// Thrown when the engine visits a panel again, because its device has failed and the CPU visits
/// all panels.  The file is then written again from the beginning.
struct VisitedAgain {};

template <class T>
class FactorWriter {
 public:
  FactorWriter(const Analysis& analysis, const Factorization<T>& f, const std::string& path,
               const std::atomic<bool>* cancel)
      : analysis_(analysis), f_(f), path_(path), cancel_(cancel) {}

  void run() {
    if (path_.ends_with(".gz")) refuse(path_, 0, "a factor is not compressed: choose another name");
    try {
      write();
    } catch (const VisitedAgain&) {
      write();
    }
  }

 private:
  void write() {
    OutputFile file(path_, 1, cancel_);
    const FirstPage page = first_page();
    file.append({reinterpret_cast<const char*>(&page), sizeof page});
    BlockWriter blocks(file);
    const std::vector<Index> order = write_panels(blocks);
    blocks.finish();
    const std::function<void(std::string_view)> append = [&](std::string_view bytes) {
      file.append(bytes);
    };
    write_analysis(analysis_, append);
    SectionWriter tail(append);
    tail.array(order);
    tail.array(f_.scale);
    tail.array(blocks.checksums());
    tail.checksum();
    file.commit();
  }

  FirstPage first_page() const {
    FirstPage page = {};
    page.prefix = make_prefix(kMagic, kVersion);
    Header& h = page.header;
    h.values = checksum_of(std::span<const T>(f_.values));
    h.n = analysis_.symbolic.n;
    h.nsuper = analysis_.symbolic.nsuper;
    h.entries = analysis_.symbolic.info.nnz_stored;
    h.entry_bytes = f_.report.precision == Precision::kDouble ? sizeof(double) : sizeof(float);
    h.value_bytes = sizeof(T);
    write_analysis(analysis_, [&](std::string_view bytes) {
      h.analysis_bytes += static_cast<Offset>(bytes.size());
    });
    h.is_scaled = f_.scale.empty() ? 0 : 1;
    h.exponent = f_.exponent;
    h.fell_back = f_.report.fell_back_to_double ? 1 : 0;
    h.rcond = f_.report.rcond.value_or(-1);
    page.checksum = checksum_of(&page, offsetof(FirstPage, checksum));
    return page;
  }

  /// Writes all panels.
  /// @return the supernodes in the order in which the engine visited their panels.
  std::vector<Index> write_panels(BlockWriter& blocks) const {
    const symbolic::SymbolicFactor& symbolic = analysis_.symbolic;
    std::vector<Index> order;
    order.reserve(symbolic.nsuper);
    std::vector<Index> next(symbolic.nsuper, 0);  // First column of each panel to be written.
    with_engine(f_, [&]<class F>(const Engine<F>& engine) {
      engine.visit_panels([&](const numeric::PanelColumns<F>& of) {
        if (cancel_ != nullptr && cancel_->load()) throw ordering::Interrupted{};
        if (next[of.s] != of.begin) throw VisitedAgain{};
        next[of.s] = of.end;
        if (of.begin == 0) order.push_back(of.s);
        const Index nrow = symbolic.nrow(of.s);
        for (Index k = of.begin; k < of.end; ++k) {
          blocks.append(of.data + k * (of.ld + 1),
                        Offset{nrow - k} * static_cast<Offset>(sizeof(F)));
        }
      });
    });
    return order;
  }

  const Analysis& analysis_;
  const Factorization<T>& f_;
  const std::string& path_;
  const std::atomic<bool>* cancel_;
};

}  // namespace

template <class T>
void save_factor(const Analysis& analysis, const Factorization<T>& f, const std::string& path,
                 const std::atomic<bool>* cancel) {
  FactorWriter<T>(analysis, f, path, cancel).run();
}

template void save_factor(const Analysis&, const Factorization<float>&, const std::string&,
                          const std::atomic<bool>*);
template void save_factor(const Analysis&, const Factorization<double>&, const std::string&,
                          const std::atomic<bool>*);

}  // namespace clchol::solver
