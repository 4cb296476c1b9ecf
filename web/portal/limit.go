package portal

import (
	"cmp"
	"net/http"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// showLimits lists the limits of people, clients and accounts with the amounts used today.
func showLimits(v *Request) error {
	limits, err := v.Config.Admin.Limits(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/limits", "Limits",
		"How much a person, a client or an account may pay, at a time and on one day. Payments and returns count, nothing else moves money out.")
	model.New = links("", administration.KindLimitSet)
	model.Columns = []i18n.Text{"Binds", "Limit", "Used today", "Change"}
	for _, l := range limits {
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []i18n.Text{
				binds(l.Limit), l.Words(),
				i18n.Data(usedToday(l)),
			}, Links: links(l.ID, administration.KindLimitSet),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// binds names whom a limit binds.
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
