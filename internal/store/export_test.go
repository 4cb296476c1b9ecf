package store

// RegisterUUID is registerUUID, for a connection of a test's own.
var RegisterUUID = registerUUID
