package reference

import (
	"runtime"
	"runtime/debug"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Build returns what the go command recorded about this program.
func Build() document.Build {
	known := kubeversion.Versions()
	b := document.Build{
		TypeMeta: document.TypeMeta(document.BuildKind),
		Version:  "(devel)",
		Go:       runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: document.Releases{Oldest: known[len(known)-1], Newest: known[0], Default: kubeversion.Default().Version},
		Formats:    apiversion.Read(),
		Libraries:  map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		b.Libraries[m.Path] = m.Version
	}
	return b
}
