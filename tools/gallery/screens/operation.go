package screens

import (
	"time"

	"countersign/views"
)

// operation is a gateway with an interrupted connection.
func operation() views.Operation {
	return views.Operation{
		Layout: operatorShell("Operation", views.PlaceOperation), RetryURL: "/operation/retry", MissingKeys: []string{"release-0"},
		Connections: []views.Connection{
			{Scheme: "sic-inst", Working: true},
			{Scheme: "sct-inst", State: "Deliveries pause.", Since: now},
		},
		Queues: []views.JobQueue{
			{Name: "send-sic-inst", Most: 1000}, {Name: "send-sct-inst", Ready: 1000, Running: 32, Retrying: 7, Most: 1000, Oldest: now},
		},
		Checks: []views.CheckRow{{Of: "everything", At: now.Add(-26 * time.Hour)}, {Of: "since a checkpoint", At: now.Add(-2 * time.Hour), Broken: "I16, I30"}},
		Stuck: []views.StuckRow{
			{
				Doing: "Delivery to clearing", Scheme: "sct-inst", Subject: "019e1f6a-0000-7000-8000-000000000001", Failed: 4, Next: now.Add(time.Minute),
				Why: "deliver P87QK4M2XW9TCH3F5A: clearing answered 503 Service Unavailable",
			},
			{Doing: "Deadline", Subject: "019e1f6a-0000-7000-8000-000000000002", Failed: 1, Next: now, Why: "The original payment was never received."},
		},
	}
}
