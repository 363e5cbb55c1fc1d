// Package helm tests admsim's API server with Helm. It is a module of its own, since Helm has many dependencies that
// admsim does not have.
package helm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	helm "helm.sh/helm/v4/pkg/cmd"

	"github.com/admsim/admsim/pkg/admsimtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"helm": func() {
		command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
		if err != nil || command.Execute() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}})
}

// Each script is a use of Helm. Its cluster is in its folder world, if there is one.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{Files: []string{script}, Setup: func(e *testscript.Env) error {
				o := admsimtest.Options{}
				if world := filepath.Join(e.WorkDir, "world"); exists(world) {
					o.Manifests = []string{world}
				}
				e.Setenv("KUBECONFIG", admsimtest.New(t, o).Kubeconfig())
				for _, name := range []string{"HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
					e.Setenv(name, e.WorkDir)
				}
				return nil
			}})
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
