// Package realmfile is the YAML form of a realm: what `countersign realm show` prints and `countersign realm apply` reads. It holds no
// password and no secret. It stands apart from the store, which knows no files, and from the program, whose commands only read settings.
package realmfile
