//go:build !long

package integrity

func init() { archivedPage = 3 } // archives of tests have several pages
