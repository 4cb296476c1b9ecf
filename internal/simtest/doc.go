// Package simtest tests random schedules: makers, checkers, clearing, other banks, a moved clock, and crashes between any two statements
// and around every send. All are chosen by a seed that is printed and can be replayed. The services and the store are those of the program;
// the database is a real PostgreSQL. After each schedule the moved money is compared with the orders and with clearing, and the integrity
// check runs over the database.
package simtest
