package pod

// IsSettled is used by the tests for all kinds, which package kinds lists.
var IsSettled = isSettledPod
