package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// filesOf returns the files to check: the named ones, and all documents in and below the named folders, in the order of their names. Names
// that begin with a dot and links are left out. folders reports whether a folder was named.
func filesOf(names []string) (files []string, folders bool, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			files = append(files, name) // what is wrong with it is told when it is read
			continue
		}
		folders = true
		within, err := documentsIn(name)
		if err != nil {
			return nil, true, err
		}
		files = append(files, within...)
	}
	return files, folders, nil
}

func documentsIn(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && slices.Contains([]string{".xml", ".json"}, strings.ToLower(filepath.Ext(path))):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into the folder: %w", err)
	}
	if len(found) == 0 {
		return nil, &unusableError{folder + " holds no file whose name ends in .xml or .json: name the files"}
	}
	return found, nil
}
