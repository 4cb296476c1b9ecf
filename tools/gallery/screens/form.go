package screens

import (
	"net/url"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/views"
	"countersign/views/ui"
)

func entryExhibits() []Exhibit {
	plain := views.Layout{Title: "Sign in", Environment: "DEMO"}
	refused := plain
	refused.Failed = true
	anonymous := shell("", views.PlaceNone)
	return []Exhibit{
		{Name: "sign-in", Page: views.SignInPage(views.SignIn{
			Layout: plain, Realm: "demo", Ended: views.EndedIdle,
			DemoHint: "Demo users: maker1, checker1, both1, supervisor1, admin1. Password: countersign-demo",
		})},
		{Name: "sign-in-refused", Failed: true, Page: views.SignInPage(views.SignIn{
			Layout: refused, Realm: "demo", UserName: "maker1",
			Problems: []ui.Problem{{Field: "password", Text: "Your user name or password is wrong. Check both and try again."}},
		})},
		{Name: "signed-out", Page: views.SignedOutPage(views.SignedOut{Layout: views.Layout{Title: "Signed out", Environment: "TEST"}})},
		{Name: "set-up", Failed: true, Page: views.SetUpPage(views.SetUp{
			Layout: refused, UserName: "anna", Realm: "demo", Action: "/set-up/demo/x",
			Problems: []ui.Problem{{Field: "code", Text: "Check the code. It does not belong to this link. After five wrong codes, the link " +
				"stops working."}},
		})},
		{Name: "set-up-over", Page: views.SetUpPage(views.SetUp{Layout: plain, Over: true})},
		{Name: "set-up-done", Page: views.SetUpDonePage(views.SetUp{Layout: plain})},
		{
			Name: "forbidden",
			Page: views.ProblemPage(views.Forbidden(anonymous, "You need the checker role to approve or reject payments.")),
		},
		{Name: "not-found", Page: views.ProblemPage(views.NotFound(anonymous))},
		{Name: "failed", Failed: true, Page: views.ProblemPage(views.Failed(anonymous, "0b7e4a10-5d2f-4c0e-9a51-8d2f6a1c3b44"))},
		{Name: "failed-resend", Failed: true, Page: views.ProblemPage(views.Failed(anonymous, "0b7e4a10-5d2f-4c0e-9a51-8d2f6a1c3b44").
			With(views.Resend{URL: "/payments/new", Fields: url.Values{"creditorName": {"Petra Muster"}}}))},
		{Name: "session-ended", Page: views.ProblemPage(views.SessionEnded(anonymous, views.EndedIdle, "/signin?next=/queue"))},
		{Name: "find", Page: views.FindPage(views.Find{
			Layout: bothShell("Quick search", views.PlaceNone), Search: views.FindField(""),
			GoTo: []ui.Step{{Label: "Approval queue", URL: "/queue"}, {Label: "Payments", URL: "/payments"}},
			Add:  []ui.Step{{Label: "New payment", URL: "/payments/new"}, {Label: "New beneficiary", URL: "/beneficiaries/new"}},
		})},
		{Name: "help", Page: views.HelpPage(bothShell("Help", views.PlaceHelp))},
		{
			Name: "reference",
			Page: views.ReferencePage(views.Reference{Layout: bothShell("Reference data", views.PlaceNone), Rows: []views.ReferenceRow{
				{
					Name: i18n.Text("Banks that can receive %s instant payments").With("SIC"), Edition: "2026-10-01",
					Source: i18n.Data("bankmaster_V3.csv"), Size: i18n.Text("%d rows").With(2340),
				},
				{
					Name: i18n.Text("Banks that can receive %s instant payments").
						With("SEPA"), Edition: "none", Source: i18n.Data("countersign directory import"),
					Warning: "Enter the BIC of the creditor's bank for each payment, because the bank cannot be found from the IBAN.",
				},
			}}),
		},
		{
			Name: "profile",
			Page: views.ProfilePage(views.Profile{
				Layout: bothShell("Profile", views.PlaceProfile), DisplayName: "Both One", Address: "both1@bank.example", Notices: notices(),
			}),
		},
		{Name: "profile-silent", Page: views.ProfilePage(views.Profile{
			Layout: bothShell("Profile", views.PlaceProfile), DisplayName: "Both One", Silent: true,
		})},
	}
}

// notices are two choices of a person about e-mails.
func notices() []ui.Choice {
	return []ui.Choice{
		{
			ID: "notice-waiting", Label: "A payment is waiting for your approval", Value: "hourly",
			Options: []ui.Option{{Value: "at once", Label: "Immediately, one e-mail each"}, {Value: "hourly", Label: "At most one e-mail per hour"}},
		},
		{
			ID: "notice-wait", Label: "Notify me of payments waiting longer than", Value: "30",
			Options: []ui.Option{{Value: "30", Label: i18n.Text("%d min").With(30)}},
		},
	}
}

func newPayment() views.NewPayment {
	return views.NewPayment{
		Layout: makerShell("New payment", views.PlaceNew), Action: "/payments/new", Scheme: "sic-inst",
		DebtorAccounts: []ui.Option{{Value: "CH5021977000004331346", Label: "CH50 2197 7000 0043 3134 6 · Muster AG · CHF"}},
		Countries: []ui.Option{
			{Label: "Choose a country"}, {Value: "CH", Label: i18n.Country("CH")}, {Value: "LI", Label: i18n.Country("LI")},
		},
		Values: orderform.Values{DebtorAccount: "CH5021977000004331346", EndToEndID: "E2E-20261120-000184"},
		Outlook: views.Outlook{Amount: ui.Amount{Currency: "CHF"}, Marks: []views.Mark{
			{Tone: ui.ToneClosed, Text: "The creditor's bank"},
			{Tone: ui.ToneClosed, Text: "Limit"},
			{Tone: ui.ToneClosed, Text: "Similar payments"},
			{Tone: ui.ToneClosed, Text: "Earlier payments to the creditor"},
			{Tone: ui.ToneClosed, Text: "Missing information"},
			{Tone: ui.ToneClosed, Text: "Checkers"},
		}},
	}
}

func filledPayment() views.NewPayment {
	model := newPayment()
	model.Values = orderform.Values{
		DebtorAccount: "CH5021977000004331346", CreditorName: "Beispiel Holzbau GmbH", CreditorIBAN: "CH44 3199 9123 0008 8901 2",
		AddressKind: "structured", Street: "Seestrasse", BuildingNumber: "41", Postcode: "8002", Town: "Zürich", Country: "CH",
		Amount: "1'234.00", RemittanceKind: "qr", QRReference: "210000000003139471430009016", EndToEndID: "E2E-20261120-000184",
	}
	model.Feedback = &views.IBANCheck{
		Grouped: "CH44 3199 9123 0008 8901 2", Country: i18n.Country("CH"), Bank: "Muster Bank, MUSTCHZZ",
		Reached: true, Scheme: "sic-inst",
	}
	model.Outlook = views.Outlook{
		Amount: ui.Amount{Currency: "CHF", Value: "1'234.00"}, CreditorName: "Beispiel Holzbau GmbH", Account: "CH44 3199 9123 0008 8901 2",
		Marks: []views.Mark{
			{Tone: ui.ToneGood, Text: i18n.Text("Account held at %s").With("Muster Bank, MUSTCHZZ")},
			{Tone: ui.ToneGood, Text: i18n.Text("%s instant payment, within the limit").With("SIC")},
			{
				Tone: ui.ToneWaiting, URL: "/payments/x",
				Text: i18n.Text("Possible duplicate: same account and amount entered %d times in the last 7 days").With(1),
			},
			{Tone: ui.ToneWaiting, Text: i18n.Join(": ", "New name for this account",
				i18n.Text("The last payment to this account was in the name of %s.").With("Muster Treuhand AG"))},
			{Tone: ui.ToneGood, Text: "No information is missing"},
			{
				Tone: ui.ToneMoving, Text: i18n.Text("%d approvals needed within %s. People who can approve: %s").
					With(1, i18n.Text("%d hours").With(24), "Checker 1, Checker 2, Both 1"),
			},
		},
	}
	return model
}

// pickedPayment is the form with a beneficiary found, another one filled in, and creditors of last payments.
func pickedPayment() views.NewPayment {
	model := filledPayment()
	model.Picked, model.Find = "Beispiel Holzbau GmbH", "bei"
	model.Found = &views.Picks{More: true, List: []views.Pick{
		{Value: "beneficiary:x", Name: "Beispiel Holzbau GmbH", Account: "CH4431999123000889012", Detail: "Zürich"},
		{Value: "beneficiary:y", Name: "Beispiel und Söhne Rohrleitungs- und Anlagenbau GmbH", Account: "CH4821966000009613388"},
	}}
	model.Recent = []views.Pick{{Value: "payment:x", Name: "Muster Treuhand AG", Account: "CH9300762011623852957"}}
	return model
}

func refusedPayment() views.NewPayment {
	model := filledPayment()
	model.Layout.Failed = true
	model.Values.Amount, model.Outlook.Amount.Value = "1,234", ""
	model.Outlook.Marks[1] = views.Mark{Tone: ui.ToneBad, Text: ambiguous()}
	model.Outlook.Marks[2] = views.Mark{Tone: ui.ToneClosed, Text: "Similar payments"}
	model.Outlook.Marks[3] = views.Mark{Tone: ui.ToneClosed, Text: "Earlier payments to the creditor"}
	model.Outlook.Marks[4] = views.Mark{
		Tone: ui.ToneClosed, Text: i18n.Text("Still to be completed or corrected: %s").With(i18n.Text("QR reference")),
	}
	model.Outlook.Marks[5] = views.Mark{Tone: ui.ToneClosed, Text: "Checkers"}
	model.Problems = []ui.Problem{
		{Field: "amount", Code: "AM12", Text: ambiguous()},
		{Field: "qrReference", Text: "The check digit of the QR reference is wrong. Compare the reference with the invoice.", Code: "CH16"},
	}
	return model
}

func corrected() views.NewPayment {
	model := newPayment()
	model.Prefilled, model.Corrected = true, &views.Corrected{
		Reference: "7QK4M2XW9TCH3F5A", URL: "/payments/x", State: "Rejected",
		Why: i18n.Text("Rejected by %s. %s").With("Checker 1", "Duplicate of another payment: paid on Monday already"),
	}
	return model
}

func sepaPayment() views.NewPayment {
	model := filledPayment()
	model.Scheme, model.Prefilled = "sct-inst", true
	model.Values.AddressKind, model.Values.RemittanceKind, model.Values.RemittanceText = "hybrid", "text", "Rechnung 1107, März"
	model.Amending = &views.Amending{ID: "x", Reference: "7QK4M2XW9TCH3F5A", URL: "/payments/x"}
	model.Outlook.Amount, model.Outlook.Account = ui.Amount{Currency: "EUR", Value: "1'234.00"}, ""
	model.Outlook.Marks[0] = views.Mark{Tone: ui.ToneBad, Text: "The check digits of the IBAN are wrong. Compare the IBAN with the invoice."}
	model.Feedback = &views.IBANCheck{Problem: ui.Problem{
		Text: "The check digits of the IBAN are wrong. Compare the IBAN with the invoice.", Code: "AC01",
	}}
	return model
}

func check() views.Check {
	change := func(rows ...ui.Row) []ui.Row {
		for index := range rows {
			rows[index].ChangeURL, rows[index].ChangeName = "/payments/new", rows[index].Term
		}
		return rows
	}
	return views.Check{
		Layout: makerShell("Check your answers", views.PlaceNew), Action: "/payments/019a9f4e/submit", ChangeURL: "/payments/019a9f4e/edit",
		Amount: ui.Amount{Currency: "CHF", Value: "1'234.56"}, CreditorName: "Beispiel Holzbau GmbH",
		Groups: []views.CheckGroup{
			{
				Title: "From",
				Rows: change(ui.Row{
					Term: "Account", Value: "CH50 2197 7000 0043 3134 6", Details: []i18n.Text{"Muster AG"},
					Numeric: true,
				}),
			},
			{Title: "To", Rows: change(
				ui.Row{Term: "IBAN", Value: "CH44 3199 9123 0008 8901 2", Details: []i18n.Text{"Muster Bank, MUSTCHZZ"}, Numeric: true},
				ui.Row{
					Term: "Name", Value: "Beispiel Holzbau GmbH",
				},
				ui.Row{Term: "Address", Value: "Seestrasse 41", Details: []i18n.Text{"8002 Zürich", i18n.Country("CH")}},
			)},
			{
				Title: "Amount",
				Rows: change(
					ui.Row{Term: "Amount", Value: "CHF 1'234.56", Numeric: true}, ui.Row{
						Term: "Execution",
						Text: "Immediately, once approved",
					},
				),
			},
			{
				Title: "Reference",
				Rows: change(
					ui.Row{Term: "QR reference", Value: "21 00000 00003 13947 14300 09017", Numeric: true},
					ui.Row{Term: "End-to-end ID", Value: "E2E-20261120-000184", Numeric: true},
				),
			},
			{Title: "Template", Rows: []ui.Row{{
				Term: "Name", Value: "Rent", Details: []i18n.Text{i18n.Text("Saved by %s on %s").With("Maker 2", "14.11.2026 09:12:44 CET")},
			}}},
		},
		NeedsApproval: true, Approvers: "Checker 1, Checker 2, Both 1",
		Next: []i18n.Text{
			i18n.Text("Another person must check your submission and approve or reject it within %s.").With(i18n.Text("%d hours").With(24)),
			i18n.Text("Once approved, your submission will be sent immediately. %s").With(i18n.Text("Once the payment is sent, you cannot cancel " +
				"it, but you can request a recall.")),
			"You will see the result under “My submissions”.",
		},
	}
}

func formExhibits() []Exhibit {
	doubtful := check()
	doubtful.Layout.Failed = true
	doubtful.Duplicates = []views.Duplicate{
		{
			Reference: "7QK4M2XW8S11B2D4", URL: "/payments/x", State: "Settled",
			At: i18n.Join(" ", i18n.Data("18.11.2026 09:12:00 CET"), i18n.Text("by %s").With("Maker 1")),
		},
	}
	doubtful.Transliterated = []views.Change{{Field: "Message", Before: "Rechnung März", After: "Rechnung Maerz"}}
	doubtful.Problems = []ui.Problem{
		{Field: "duplicateAcknowledged", Text: "Confirm that this payment is not a duplicate. If it is a duplicate, do not submit the payment."},
		{Field: "duplicateReason", Text: "Explain why you are paying again. The checkers will see your reason."},
	}
	upload := views.Upload{
		Account: "CH5021977000004331346", Currency: "CHF",
		Layout: makerShell("Upload a file", views.PlaceUpload), Limit: i18n.Text("%d kB").With(256),
		Accepted: []i18n.Text{"pain.001.001.09 in CHF for SIC instant payments, in EUR for SEPA instant payments"}, Payments: 1000,
	}
	refused := upload
	refused.Layout.Failed, refused.FileName = true, "payments.xml"
	refused.Findings = []views.Finding{
		{
			Line: 41, Element: "/Document/CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN",
			Text: "The check digits of the IBAN are wrong. Compare the IBAN with the invoice.", Code: "AC01",
		},
		{
			Element: "/Document/CstmrCdtTrfInitn/GrpHdr/NbOfTxs",
			Text:    i18n.Text("The file contains %d payments. Send one file for each payment.").With(3),
			Code:    "AM18",
		},
	}
	yesterday := refused
	yesterday.Findings = []views.Finding{{
		Line: 25, Element: "/Document/CstmrCdtTrfInitn/PmtInf/0/ReqdExctnDt/Dt", Code: "CH04",
		Text: "Enter today's date or a later date as the execution date. The date you entered is in the past.",
	}}
	yesterday.Scheme, yesterday.Answers = "sic-inst", [][2]string{{"creditorName", "Petra Muster"}, {"amount", "199.95"}}
	return []Exhibit{
		{Name: "payment-new", Page: views.NewPaymentPage(newPayment())},
		{Name: "payment-new-refused", Page: views.NewPaymentPage(refusedPayment()), Failed: true},
		{Name: "payment-correct", Page: views.NewPaymentPage(corrected())},
		{Name: "payment-new-sepa", Page: views.NewPaymentPage(sepaPayment())},
		{Name: "check", Page: views.CheckPage(check())},
		{Name: "check-duplicate", Page: views.CheckPage(doubtful), Failed: true},
		{
			Name: "submitted",
			Page: views.SubmittedPage(views.Submitted{
				Layout: makerShell("Submitted", views.PlaceMine), Message: message(),
				Next: check().Next,
			}),
		},
		{Name: "upload", Page: views.UploadPage(upload)},
		{Name: "upload-refused", Page: views.UploadPage(refused), Failed: true},
		{Name: "upload-yesterday", Page: views.UploadPage(yesterday), Failed: true},
		{Name: "payment-picked", Page: views.NewPaymentPage(pickedPayment())},
		{Name: "iban-fragment", Page: views.IBANFeedback(*filledPayment().Feedback), Fragment: true},
	}
}

// payeeExhibits are the page to check with each outcome of the verification of the payee.
func payeeExhibits() []Exhibit {
	return []Exhibit{
		payeeExhibit("verified", views.Payee{
			Tone: ui.ToneGood, Icon: "circle-check", Title: "The creditor's name is verified", Result: "MTCH",
			Text: i18n.Text("The creditor's bank confirms that the account is in this name. Checked on %s.").With(askedAt),
		}),
		payeeExhibit("close", views.Payee{
			Tone: ui.ToneWaiting, Icon: "triangle-alert", Title: "The creditor's name does not quite match the name on the account", Result: "CMTC",
			Text: i18n.Text("According to the creditor's bank, the account is in the name of %s. Checked on %s.").
				With("Beispiel Holzbau Holding GmbH", askedAt),
			Matched: "Beispiel Holzbau Holding GmbH", UseURL: "/payments/x/payee",
		}),
		payeeExhibit("other", views.Payee{
			Tone: ui.ToneBad, Icon: "circle-x", Title: "The account is not in the creditor's name", Result: "NMTC",
			Text: i18n.Text("According to the creditor's bank, this account belongs to somebody else. Ask the creditor for the account " +
				"number, using contact details you already have and not those in the invoice or message. Money sent to the wrong account could " +
				"be lost. The bank was asked on %s.").With(askedAt),
		}),
		payeeExhibit("not-possible", views.Payee{
			Tone: ui.ToneWaiting, Icon: "circle-question-mark", Title: "The creditor's name could not be verified", Result: "NOAP",
			Text: i18n.Text("The creditor's bank did not say who owns the account. The money could go to somebody other than the named " +
				"creditor. Checked on %s.").With(askedAt),
		}),
		payeeExhibit("late", views.Payee{
			Tone: ui.ToneWaiting, Icon: "clock", Title: "The creditor's bank did not answer in time", Result: "LATE",
			Text: i18n.Text("The creditor's bank did not answer within five seconds. The money may go to somebody other than the named " +
				"creditor. Checked on %s.").With(askedAt),
		}),
	}
}

// payeeExhibit is the page to check with one outcome of the verification of the payee.
func payeeExhibit(name string, said views.Payee) Exhibit {
	asked := check()
	asked.Payee = &said
	return Exhibit{Name: "check-payee-" + name, Page: views.CheckPage(asked)}
}

// askedAt is when the payee's bank was asked.
const askedAt = "20.11.2026 10:30"

// ambiguous is what is said of an amount that may be read in two ways. It is asked for when a page is made: to look it up reads the
// catalogue, which a program that starts does not need yet.
func ambiguous() i18n.Text {
	return i18n.Text("Did you mean %s'%s.00 or %s.%s? Enter the amount with two decimal places.").With("1", "234", "1", "234")
}
