package dist

import (
	"os"
	"os/exec"
	"syscall"
)

// alone makes a program see nothing but what is in root, as the user of the image. Only root can do so; without it, the
// program runs as any other.
func alone(c *exec.Cmd, root, program string) {
	if os.Geteuid() != 0 {
		return
	}
	c.Path, c.Dir = program, "/"
	c.Env = []string{"HOME=/"}
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
}
