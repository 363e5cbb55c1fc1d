// Package performance holds what is measured of admsim as its commands use it: how the cost
// of a run grows, and a gate that no machine's speed can move, the number of allocations.
//
// Start with workloads_test.go. What one package does is measured by the benchmarks of that
// package; what admsim is measured against is in package differential and in
// internal/cmd/bench, which runs them all.
package performance
