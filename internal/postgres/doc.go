// Package postgres runs a private PostgreSQL server for one program, with nothing to configure.
//
// A cluster is one data directory and the server that runs on it. Start makes the directory the first time, starts the server, and
// waits until it answers; Stop shuts it down. Clients reach it only through a Unix socket in a directory that nobody but the server's
// account (and root) can enter, so the server listens on no network address and asks for no password.
//
// What holds whatever happens:
//   - A data directory is never deleted, emptied or made anew. A new one is built beside its place (".initdb") and moved there when it
//     is whole, so an interrupted first start leaves nothing that looks like data.
//   - One program at a time: a lock file (".lock") beside the data directory belongs to the living program, and the system frees it
//     when that program ends, however it ends.
//   - A server that outlived its program (kill -9) is adopted by the next Start and stopped by its Stop.
//   - Only directories made here change owner or mode; those above them keep theirs.
//
// PostgreSQL refuses to run as root. Where the program is root, the server runs as the owner of the data directory, or as the system
// user "postgres" or "nobody" for a new one.
//
// Supported on Linux and macOS, with PostgreSQL 15 or newer.
package postgres
