package pod

// IsSettled is what the test with all kinds looks at, which package kinds lists.
var IsSettled = isSettledPod
