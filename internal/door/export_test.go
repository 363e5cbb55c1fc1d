package door

// Reached is exported for tests in package door_test.
var Reached = reached
