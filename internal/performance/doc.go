// Package performance measures admsim as its commands use it: how the cost of a run grows, and the number of
// allocations, which does not depend on the speed of the machine.
//
// Start with workloads_test.go. The benchmarks of single packages are in those packages. The comparisons with other
// programs are in package differential and in internal/cmd/bench, which runs them all.
package performance
