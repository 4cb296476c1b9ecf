package views

// shortcut is one line of the help sheet.
type shortcut struct {
	keys []string
	does string
}

// shortcuts lists what app.js answers to, in the order of the help sheet.
var shortcuts = []shortcut{
	{[]string{"j"}, "Next row"},
	{[]string{"k"}, "Previous row"},
	{[]string{"o"}, "Open the row"},
	{[]string{"x"}, "Select the row"},
	{[]string{"X"}, "Select up to the row"},
	{[]string{"a"}, "Go to Approve of the current row or of those selected"},
	{[]string{"r"}, "Reject: choose a reason"},
	{[]string{"/"}, "Search in the list"},
	{[]string{"g", "q"}, "Approval queue"},
	{[]string{"g", "h"}, "Dashboard"},
	{[]string{"g", "n"}, "New payment"},
	{[]string{"g", "m"}, "My submissions"},
	{[]string{"g", "p"}, "Payments"},
	{[]string{"Esc"}, "Back to the row"},
	{[]string{"?"}, "This sheet"},
}

// shortcutsOf leaves out those that lead to pages this person has no use for.
func (s Shell) shortcutsOf() []shortcut {
	reach := map[string]bool{}
	for _, entry := range s.navigation() {
		reach[entry.url] = true
	}
	leads := map[string]string{"q": "/queue", "h": "/", "n": "/payments/new", "m": "/mine", "p": "/payments"}
	var useful []shortcut
	for _, one := range shortcuts {
		if len(one.keys) == 2 && one.keys[0] == "g" && !reach[leads[one.keys[1]]] {
			continue
		}
		useful = append(useful, one)
	}
	return useful
}
