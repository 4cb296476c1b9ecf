// Package postgres runs a private PostgreSQL server for one program, without configuration.
//
// A cluster is one data directory and the server that runs on it. Start makes the directory the first time, starts the server, and waits
// until it answers; Stop shuts it down. Clients reach it only through a Unix socket in a directory that only the server's account and root
// can enter, so the server listens on no network address and asks for no password.
//
// Guarantees:
//   - A data directory is never deleted, emptied or made again. A new one is built beside its place (".initdb") and moved there when
//     it is whole, so an interrupted first start leaves no partial data directory.
//   - One program at a time: a lock file (".lock") beside the data directory belongs to the living program; the system frees it
//     when that program ends, also by kill -9.
//   - A server that outlived its program (kill -9) is adopted by the next Start and stopped by its Stop.
//   - Only directories made here change owner or mode.
//
// PostgreSQL refuses to run as root. Where the program is root, the server runs as the owner of the data directory, or as the system user
// "postgres" or "nobody" for a new one.
//
// Supported on Linux and macOS, with PostgreSQL 15 or newer.
package postgres
