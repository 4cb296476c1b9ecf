-- Beneficiaries: creditors that two people of payments agreed on. Which of them wait to be changed stands in realm_change.

-- name: BeneficiaryGet :one
SELECT * FROM beneficiary WHERE realm = @realm AND beneficiary_id = @beneficiary_id;

-- name: BeneficiaryByAccount :one
SELECT * FROM beneficiary WHERE realm = @realm AND iban = @iban AND NOT removed;

-- name: BeneficiaryList :many
-- Those in force, by name, from a place on; and only those whose name, town or account holds a text, when one is given.
SELECT * FROM beneficiary b
WHERE b.realm = @realm AND NOT b.removed
  AND (sqlc.narg(after_name)::text IS NULL OR (lower(b.name), b.beneficiary_id) > (lower(sqlc.narg(after_name)::text), @after_id::uuid))
  AND (@search::text = '' OR search_hit(@search::text, @compact::text, b.name || ' ' || b.town, b.iban))
ORDER BY lower(b.name), b.beneficiary_id LIMIT @page_size::integer;

-- name: BeneficiaryOfAccounts :many
-- Those in force that have one of these accounts, and those that had one before its removal or change.
SELECT f.* FROM beneficiary f WHERE f.realm = @realm AND f.iban = ANY (@ibans::text[]) AND NOT f.removed
UNION ALL
SELECT r.* FROM beneficiary r WHERE r.realm = @realm AND r.iban = ANY (@ibans::text[]) AND r.removed
UNION ALL
SELECT e.* FROM beneficiary e WHERE e.realm = @realm AND e.earlier_iban = ANY (@ibans::text[]) AND e.earlier_iban <> '';

-- name: BeneficiaryInsert :exec
INSERT INTO beneficiary (realm, beneficiary_id, name, iban, street, building_number, address_line1, address_line2, postcode, town, country,
  added_at, account_changed_at, earlier_iban, removed)
VALUES (@realm, @beneficiary_id, @name, @iban, @street, @building_number, @address_line1, @address_line2, @postcode, @town, @country,
  @added_at, sqlc.narg(account_changed_at), @earlier_iban, @removed);

-- name: BeneficiaryPut :execrows
UPDATE beneficiary SET name = @name, iban = @iban, street = @street, building_number = @building_number, address_line1 = @address_line1,
  address_line2 = @address_line2, postcode = @postcode, town = @town, country = @country, account_changed_at = sqlc.narg(account_changed_at),
  earlier_iban = @earlier_iban, removed = @removed
WHERE realm = @realm AND beneficiary_id = @beneficiary_id;

-- name: BeneficiaryListAll :many
SELECT * FROM beneficiary WHERE @of_realm::text IN ('', realm) ORDER BY realm, beneficiary_id;
