package door

// Reached is for tests in package door_test.
var Reached = reached
