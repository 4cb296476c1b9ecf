-- What opens the transaction of a statement that stands alone (internal/store/alone.go): the statement travels with it.

-- name: AloneSettings :exec
-- The plan is the generic one: with arrays as values, a plan of its own looks cheaper to the planner each time and is made each time, which
-- costs more than the statement. What could only be good for a table that is read from end to end is left out, so that a plan made on an
-- empty table is as good on a full one. It waits for a lock a moment only, because others may wait behind it.
SELECT set_config('countersign.realm', @realm::text, true), set_config('transaction_read_only', @read_only::text, true),
       set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true), set_config('lock_timeout', '250ms', true);

-- name: AlonePooledSettings :exec
-- The same behind a pooler, where the connection has no settings of its own.
SELECT set_config('countersign.realm', @realm::text, true), set_config('transaction_read_only', @read_only::text, true),
       set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true), set_config('lock_timeout', '250ms', true),
       set_config('role', 'countersign_app', true), set_config('statement_timeout', '15s', true), set_config('jit', 'off', true);
