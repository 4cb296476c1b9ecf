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
	{[]string{"a"}, "Go to Approve; Enter approves"},
	{[]string{"r"}, "Reject: choose a reason"},
	{[]string{"/"}, "Search in the list"},
	{[]string{"g", "q"}, "Approval queue"},
	{[]string{"g", "h"}, "Dashboard"},
	{[]string{"g", "n"}, "New payment"},
	{[]string{"g", "m"}, "My submissions"},
	{[]string{"g", "p"}, "Payments"},
	{[]string{"Esc"}, "Close the detail"},
	{[]string{"?"}, "This sheet"},
}
