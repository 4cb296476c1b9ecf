// Package rowmap maps rows of the generated queries to values of the domain: NULL and zero values, search words, and the seals of master
// data and tokens. Only the store imports it.

package store
