// Package simulation plays schedules of chance: makers, checkers, clearing, other banks, a clock that is moved, and crashes between any two
// statements and around every send, all chosen by a seed that is printed and can be played again. The stations and the store are those of
// the program, the database is a real PostgreSQL. After each schedule money is held against what people wanted and what clearing did, and
// the auditor looks at the database. It has a package of its own, because it plays all stations and the world around them.
package simulation
