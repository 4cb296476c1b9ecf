// Package mutationtest holds the guards to account: each mutant is the program with one guard taken out, and the tests of the package it
// stands in must notice. `make mutants` plays all of them; the tests hold that each still fits the code it mutates. It has a package of
// its own, because it is about the tests of all others.
package mutationtest
