// Package commandtest has what tests of commands that start programs need.
package commandtest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Ended waits up to five seconds until a process has ended. A zombie counts as ended, since its parent may be slow to
// collect it.
func Ended(pid int) bool {
	for range 500 {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(text), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
