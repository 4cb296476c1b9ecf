package store

import (
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// RequestKey converts a row to the domain's key of a request.
func RequestKey(k dbsqlc.CreationKey) payment.RequestKey {
	key := payment.RequestKey{
		Realm: k.Realm, ClientID: k.ClientID, Scope: payment.KeyScope(k.Scope), Key: k.Key, MessageID: k.MessageID, CreatedAt: k.CreatedAt,
	}
	copy(key.Fingerprint[:], k.Fingerprint)
	return key
}
