// Package kubectl tests admsim's API server with the kubectl of the newest release. It is a module of its own, since
// kubectl has many dependencies that admsim does not have.
package kubectl

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"

	"github.com/admsim/admsim/pkg/admsimtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kubectl": func() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) },
	})
}

// Each script is a use of kubectl. Its cluster is in its folder world, if there is one.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{Files: []string{script}, Setup: func(e *testscript.Env) error {
				o := admsimtest.Options{AllowUnanswered: true}
				if world := filepath.Join(e.WorkDir, "world"); exists(world) {
					o.Manifests = []string{world}
				}
				kubeconfig := admsimtest.New(t, o).Kubeconfig()
				text, err := os.ReadFile(kubeconfig)
				if err != nil {
					return err
				}
				e.Setenv("KUBECONFIG", kubeconfig)
				e.Setenv("SERVER", string(regexp.MustCompile(`https://[^\s"]+`).Find(text)))
				e.Setenv("HOME", e.WorkDir)
				return nil
			}})
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
