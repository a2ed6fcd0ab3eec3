module parley-grants-c/tests

go 1.19
