// Package ui holds the small parts every page of the portal is made of: badges, amounts, times, fields, tables. They know nothing of
// requests or storage; a page gives them plain values.
package ui
