// A source for the headers that tests share: clchol_add_test_headers.
