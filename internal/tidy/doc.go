// Package tidy holds the plan of this project as a test: which package stands on which floor, what it may import, and the measures
// and habits of the code. It has no code of its own. Read plan_test.go for the floors and rule_test.go for the rules.
package tidy
