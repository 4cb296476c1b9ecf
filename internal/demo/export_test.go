package demo

// Creditors returns the accounts that the day pays, by creditor.
func Creditors() map[string]string {
	accounts := map[string]string{}
	for _, o := range orders {
		accounts[o.creditor] = o.account
	}
	return accounts
}
