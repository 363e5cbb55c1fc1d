package differential

import (
	"flag"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// TestMain silences the server's own packages, which log each failed call, and lets many tests run in parallel, since
// they mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	klog.SetLogger(logr.Discard())
	m.Run()
}
