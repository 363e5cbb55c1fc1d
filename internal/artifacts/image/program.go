package image

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// A Program is a static Go program for Linux.
type Program struct {
	Name         string
	Architecture string    // as Go names it
	Version      string    // of its module
	Revision     string    // the commit that it was built from; empty if unknown
	Time         time.Time // of the commit

	path string
}

// machines lists the architectures that images are built for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// Open reads the build information of a program, and checks that it can run without anything else.
func Open(path string) (*Program, error) {
	built, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Program{Name: filepath.Base(path), Version: built.Main.Version, Time: time.Unix(0, 0).UTC(), path: path}
	for _, s := range built.Settings {
		switch s.Key {
		case "GOARCH":
			p.Architecture = s.Value
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.time":
			if p.Time, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is not a program for Linux: %w", path, err)
	}
	defer f.Close()
	if machine, known := machines[p.Architecture]; !known || f.Machine != machine {
		return nil, fmt.Errorf("%s is for %s, but its build information names %q", path, f.Machine, p.Architecture)
	}
	if slices.ContainsFunc(f.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP }) {
		return nil, fmt.Errorf("%s needs the libraries of a system: build it with CGO_ENABLED=0", path)
	}
	return p, nil
}
