package store

// RegisterTypes is registerTypes, for a connection of a test's own.
var RegisterTypes = registerTypes
