package envtest

// executable has the extension of programs.
const executable = ".exe"
