// A module of its own, so that who uses admsim does not download the recordings.
module github.com/admsim/admsim/testdata/recorded

go 1.26.0
