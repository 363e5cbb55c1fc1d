// Command admsim simulates what the admission chain of a kube-apiserver does with a
// request, and explains it.
package main

import (
	"context"
	"os"

	"github.com/admsim/admsim/internal/envtest"
)

func main() {
	if name := envtest.Program(os.Args[0]); name != "" {
		os.Exit(runProgram(context.Background(), name, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	by, args := calledAs(os.Args[0], os.Args[1:])
	os.Exit(runAs(context.Background(), by, args, os.Stdin, os.Stdout, os.Stderr))
}
