"""Warnings are errors in the tests, but for those of other packages about themselves."""


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("filterwarnings", "ignore::scipy.sparse.SparseEfficiencyWarning")
    config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning")
