package yamldoc

import (
	"fmt"
)

// Limits of the input, so that no input can use up admsim's time or memory. A manifest that a server would accept is
// far below all of them: etcd refuses objects of 1.5 MiB.
const (
	MaxFileSize    = 64 << 20 // bytes of a file, unless the caller says otherwise
	maxDepth       = 1000     // levels of nested mappings and lists
	maxAliasGrowth = 4 << 20  // characters that YAML aliases may add to a document twice its size
)

const depthHint = "no Kubernetes object is nested that deep; is this file really a manifest?"

func SizeText(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
