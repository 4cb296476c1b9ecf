package screens

import (
	"time"

	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// pixel is the smallest picture there is: the gallery shows where the QR code stands, not a code that works.
var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82")

func factorExhibits() []Exhibit {
	profile := bothShell("Second factors", views.PlaceProfile)
	plain := views.Layout{Title: "Sign in", Environment: "DEMO"}
	refused := plain
	refused.Failed = true
	app := views.Factor{ID: "1", Kind: "totp", Name: "My telephone", MadeAt: now.Add(-48 * time.Hour), LastUsedAt: now.Add(-time.Hour)}
	codes := views.Factor{ID: "2", Kind: "recovery", MadeAt: now.Add(-48 * time.Hour), CodesLeft: 8}
	proof := views.Proof{HasFactor: true, Passkey: views.Passkey{Question: `{"challenge":"AAAA"}`, Ticket: "ticket"}}
	wrong := proof
	wrong.Problems = []ui.Problem{{
		Field: "factorCode", Text: "This code is wrong or was used before. Wait for the next code and enter it.",
	}}
	failed := profile
	failed.Failed = true
	return []Exhibit{
		{Name: "sign-in-factor", Page: views.SignInFactorPage(views.SignInFactor{
			Layout: plain, UserName: "checker1", Apps: true, Passkey: proof.Passkey,
		})},
		{Name: "sign-in-factor-refused", Failed: true, Page: views.SignInFactorPage(views.SignInFactor{
			Layout: refused, UserName: "checker1", Apps: true, Problems: wrong.Problems,
		})},
		{Name: "factors", Page: views.FactorsPage(views.Factors{Layout: profile, List: []views.Factor{
			app, {ID: "3", Kind: "passkey", Name: "Key ring", MadeAt: now.Add(-time.Hour)}, codes,
		}})},
		{Name: "factors-none", Page: views.FactorsPage(views.Factors{Layout: profile, Wanted: true})},
		{Name: "factor-app", Page: views.NewAppPage(views.NewApp{
			Layout: profile, Key: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", QR: pixel, Held: "held",
		})},
		{Name: "factor-passkey", Page: views.NewPasskeyPage(views.NewPasskey{Layout: profile, Question: proof.Passkey, Proof: proof})},
		{Name: "factor-remove", Page: views.RemoveFactorPage(views.RemoveFactor{Layout: profile, Factor: app, Last: true, Proof: proof})},
		{
			Name: "factor-remove-refused", Failed: true,
			Page: views.RemoveFactorPage(views.RemoveFactor{Layout: failed, Factor: app, Last: true, Proof: wrong}),
		},
		{Name: "recovery-codes", Page: views.RecoveryCodesPage(views.RecoveryCodes{Layout: profile, Codes: []string{
			"2QWM-7HJT", "9KXN-4FRC", "B6VD-8PLS", "Z3TG-5YHW",
		}})},
		{Name: "recovery-codes-ask", Page: views.RecoveryCodesPage(views.RecoveryCodes{Layout: profile, Proof: proof})},
	}
}

func auditExhibits() []Exhibit {
	trail := views.AuditTrail{
		TableURL: "/audit/table", Events: []ui.Option{{Label: "All events"}, {Value: "sign-in.refused", Label: "Sign-in refused"}},
		Layout: adminShell("Audit trail"), Seal: views.AuditSeal{Rows: 1041, Signed: now.Add(-time.Minute), Root: digest[:16], Words: "sealed"},
		Pages: ui.Pages{NextURL: "/audit?after=x", NextLabel: i18n.Text("Next %d").With(50)},
	}
	trail.Layout.Place = views.PlaceAudit
	for index, what := range []i18n.Text{"Approved", "Submitted"} {
		trail.Rows = append(trail.Rows, views.AuditEntry{
			URL: "/payments/x", About: i18n.Text("%s to %s").With(i18n.Data("CHF 1'234.50"), i18n.Data("Beispiel Holzbau GmbH")),
			At: now.Add(-time.Duration(index) * time.Minute), Actor: i18n.Data("checker1"), Action: what, Channel: "Portal",
			Address: "10.0.4.21", RequestID: "5c1f2b3a-5d2f-4c0e", Detail: i18n.Data("7QK4M2XW9TCH3F5A"),
		})
	}
	none := trail
	none.Rows, none.Pages, none.From, none.Filtered = nil, ui.Pages{}, "20.11.26", true
	none.Layout.Failed = true
	none.Problems = []ui.Problem{{Field: "from", Text: "Enter a date such as 20.11.2026."}}
	none.Empty = ui.Empty{Icon: "search", Title: "No results", LinkLabel: "Clear filters", LinkURL: "/audit"}
	further := none
	further.Layout.Failed, further.Problems, further.From, further.Event = false, nil, "", "sign-in.refused"
	further.Empty = ui.Empty{
		Icon: "search", Title: "Nothing found so far", Text: "None of the newest events match your search. Older events have not been " +
			"searched yet.",
		LinkLabel: "Show earlier entries", LinkURL: "/audit?after=x",
	}
	return []Exhibit{
		{Name: "audit", Page: views.AuditTrailPage(trail)},
		{Name: "audit-refused", Failed: true, Page: views.AuditTrailPage(none)},
		{Name: "audit-further", Page: views.AuditTrailPage(further)},
	}
}
