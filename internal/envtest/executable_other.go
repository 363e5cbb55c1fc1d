//go:build !windows

package envtest

// executable is the file name extension of programs.
const executable = ""
