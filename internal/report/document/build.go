package document

import "github.com/admsim/admsim/pkg/report"

// BuildKind is the kind of a [Build].
const BuildKind = "Build"

// A Build says what this admsim was built from, and what it reads and simulates.
type Build struct {
	report.TypeMeta
	Version  string `json:"version"`            // of the module; (devel): built in a checkout without a tag
	Commit   string `json:"commit,omitempty"`   // empty if the go command had no repository
	Date     string `json:"date,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // the checkout had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system and architecture

	Kubernetes Releases          `json:"kubernetes"`
	Formats    []string          `json:"formats"`   // versions of documents that it reads
	Libraries  map[string]string `json:"libraries"` // modules by path, with their versions
}

// Releases are the Kubernetes releases that can be simulated.
type Releases struct {
	Oldest  string `json:"oldest"`
	Newest  string `json:"newest"`
	Default string `json:"default"` // without --kubernetes-version
}
