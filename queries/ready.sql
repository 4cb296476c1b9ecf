-- What the readiness page asks.

-- name: SchemaPresent :one
-- Whether the newest tables of the migrations and those of the job queue are there and in sight.
SELECT (to_regclass('public.access_token') IS NOT NULL AND to_regclass('public.inbox') IS NOT NULL
        AND to_regclass('river.river_job') IS NOT NULL)::boolean AS present;

-- name: PolicyForEverything :one
-- The policy that counts for what no narrower one covers.
SELECT approvals_required FROM policy
WHERE realm = @realm AND retired_at IS NULL AND client_id IS NULL AND channel IS NULL AND scheme IS NULL AND kind IS NULL
  AND amount_from IS NULL AND amount_to IS NULL
ORDER BY rank DESC, created_at DESC LIMIT 1;
