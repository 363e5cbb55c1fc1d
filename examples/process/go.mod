module github.com/admsim/admsim/examples/process

go 1.26.0
