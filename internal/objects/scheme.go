package objects

// schemeName is what the server calls its own scheme in messages.
const schemeName = "pkg/runtime/scheme.go:111"
