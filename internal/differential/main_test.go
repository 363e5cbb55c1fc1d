package differential

import (
	"flag"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// TestMain silences the server's own packages, which log each call that fails, and lets many
// tests wait at the same time, as waiting is what they mostly do.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	klog.SetLogger(logr.Discard())
	m.Run()
}
