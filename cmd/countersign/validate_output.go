package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writeText writes a line for each finding and note, in the form editors jump to, and one about the file.
func writeText(output io.Writer, r fileReport) error {
	var text strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&text, "%s:%d:%d: %s %s: %s (%s)\n", r.File, f.Line, f.Column, f.Code, f.Pointer, f.Text, f.Rule)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&text, "%s:%d:%d: note %s: %s\n", r.File, n.Line, n.Column, n.Pointer, n.Text)
	}
	outcome := "fine"
	if len(r.Findings) > 0 {
		outcome = counted(len(r.Findings), "finding")
	}
	fmt.Fprintf(&text, "%s: %s: %s\n", r.File, r.subject(), outcome)
	_, err := io.WriteString(output, text.String())
	return err
}

// writeLine writes one line about the file, with the first finding.
func writeLine(output io.Writer, r fileReport) error {
	outcome := "fine"
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		outcome = fmt.Sprintf("%s, the first in line %d: %s %s: %s", counted(len(r.Findings), "finding"), f.Line, f.Code, f.Pointer, f.Text)
	}
	_, err := fmt.Fprintf(output, "%s: %s: %s\n", r.File, r.subject(), outcome)
	return err
}

// subject names the message of the file and the rules that were checked.
func (r fileReport) subject() string {
	switch {
	case r.Message == "":
		return "no message known here"
	case r.Scheme == "":
		return r.Message + ", structure only"
	default:
		return r.Message + ", structure and the rules of " + string(r.Scheme) + " (" + r.chosen + ")"
	}
}

// writeJSON writes one object on a line of its own.
func writeJSON(output io.Writer, r fileReport) error {
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// counted is a number of things in words, such as 1 file or 2 files.
func counted(number int, thing string) string {
	if number != 1 {
		thing += "s"
	}
	return strconv.Itoa(number) + " " + thing
}

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
