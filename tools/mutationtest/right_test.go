package mutationtest

// ofRights let somebody act by a right that is gone, or an operator without the administrators.
var ofRights = []mutant{
	{
		name: "resets leave one administrator", file: "internal/administration/after.go", tests: "web/api:TestResetsLeaveTwo",
		before: ` && c.Kind != KindUserReset {`, after: ` {`,
	},
	{
		name: "a change of somebody who lost the role is done", file: "internal/administration/decide.go", tests: "web/api:TestWhoLostTheRole",
		before: `if !now.RequesterHolds {`, after: `if false && !now.RequesterHolds {`,
	},
	{
		name: "a payment leaves from a closed account", file: "internal/payment/account.go", tests: "web/api:TestAPaymentOfAnAccount",
		before: `case !m.Account.Open:`, after: `case false && !m.Account.Open:`,
	},
	{
		name: "the operator makes administrators of a realm that had two", file: "internal/store/administrator.go",
		tests:  "cmd/countersign:TestTwoAdministratorsShutTheOperatorOut",
		before: `case breakGlass == "":`, after: `case breakGlass == "" && false:`,
	},
}
