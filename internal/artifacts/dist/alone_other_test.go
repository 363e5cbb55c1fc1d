//go:build !linux

package dist

import "os/exec"

// alone does nothing, since it is only possible on Linux.
func alone(*exec.Cmd, string, string) {}
