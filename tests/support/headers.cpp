// Source file of the target for headers that tests share (clchol_add_test_headers).
