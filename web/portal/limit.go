package portal

import (
	"cmp"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// limitList lists the limits of people, clients and accounts with the amounts used today.
var limitList = adminList{
	noun: "limit", path: "/admin/limits", label: "Limits",
	words: "A limit sets how much a person, a client or an account can pay, per payment and per day. Only payments and returns count " +
		"towards the limit, because only they move money out of an account.",
	make:    []administration.Kind{administration.KindLimitSet},
	columns: []i18n.Text{"Applies to", "Limit", "Used today", "Actions"},
	fill: rowsOf("limit", func(_ *Request, l administration.LimitToday) views.AdministrationRow {
		return views.AdministrationRow{
			Cells: []i18n.Text{binds(l.Limit), l.Words(), i18n.Data(usedToday(l))}, Links: links(l.ID, administration.KindLimitSet),
		}
	}),
}

// binds names the person, client or account that a limit applies to.
func binds(l administration.Limit) i18n.Text {
	holder := cmp.Or(l.HolderName, l.Holder)
	if l.Of == rulebook.OfAccount {
		holder = ui.GroupFours(holder)
	}
	return i18n.Join(" ", FieldValue("", string(l.Of)), i18n.Data(holder))
}

func usedToday(l administration.LimitToday) string {
	if l.PerDay == nil {
		return "–"
	}
	used, err := money.FromMinor(money.Currency(l.Currency), l.Used)
	if err != nil {
		return "–"
	}
	return used.Format()
}
