package dist

import (
	"os"
	"os/exec"
	"syscall"
)

// alone restricts a program to the files in root, and runs it as the user of the image. Only root can do that;
// otherwise the program runs normally.
func alone(c *exec.Cmd, root, program string) {
	if os.Geteuid() != 0 {
		return
	}
	c.Path, c.Dir = program, "/"
	c.Env = []string{"HOME=/"}
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
}
