package process

import (
	"os"
	"runtime"
	"slices"
)

// Inherited returns the names of the variables that every program gets from admsim's environment: those that few
// programs can do without. Tokens that CI systems set are not among them.
func Inherited() []string {
	if runtime.GOOS == "windows" {
		return []string{"PATH", "PATHEXT", "SystemRoot", "SystemDrive", "windir", "ComSpec", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData"}
	}
	return []string{"PATH", "HOME", "TMPDIR", "LANG"}
}

// inherited returns these variables and further ones as NAME=value, if they are set. On Windows a program without any
// environment cannot even open a connection.
func inherited(further []string) (environment []string) {
	for _, name := range slices.Concat(Inherited(), further) {
		if value, set := os.LookupEnv(name); set {
			environment = append(environment, name+"="+value)
		}
	}
	if environment == nil {
		environment = []string{} // nil would mean the whole environment
	}
	return environment
}
