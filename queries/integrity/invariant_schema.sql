-- More of what must hold (invariant_move.sql says how such a query answers): the keys and rules of the schema itself.

-- name: ForeignKeyStatementList :many
-- I15 as well: for every foreign key of the schema the statement that lists the rows which break it, for triggers can be switched off. A
-- standby has no rows of unlogged tables, and cannot read them.
SELECT c.conname::text AS name,
       format('SELECT %s AS realm, %L::text AS relation, concat_ws('' '', %s)::text AS key, (%L || concat_ws('' '', %s))::text AS what FROM %I.%I c WHERE %s AND NOT EXISTS (SELECT FROM %I.%I p WHERE %s)',
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attname = 'realm')
                   THEN 'coalesce(c.realm, '''')' ELSE '''''::text' END,
              t.relname,
              coalesce((SELECT string_agg(format('c.%I', a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum))
               FROM pg_catalog.pg_constraint k
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
               WHERE k.conrelid = c.conrelid AND k.contype = 'p' AND a.attname <> 'realm'), 'c.realm'),
              'does not fit any row of ' || f.relname || ' (' || c.conname || '): ',
              coalesce((SELECT string_agg(format('c.%I', a.attname), ', ' ORDER BY array_position(c.conkey, a.attnum))
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'realm'), 'c.realm'),
              n.nspname, t.relname,
              (SELECT string_agg(format('c.%I IS NOT NULL', a.attname), ' AND ')
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)),
              n.nspname, f.relname,
              (SELECT string_agg(format('p.%I = c.%I', b.attname, a.attname), ' AND ')
               FROM generate_subscripts(c.conkey, 1) i
               JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[i]
               JOIN pg_catalog.pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[i]))::text AS statement
FROM pg_catalog.pg_constraint c
JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
JOIN pg_catalog.pg_class f ON f.oid = c.confrelid
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE c.contype = 'f' AND n.nspname = 'public' AND NOT (t.relpersistence = 'u' AND pg_is_in_recovery())
ORDER BY t.relname, c.conname;

-- name: RuleStatementList :many
-- I15 as well: for every table the statement that lists the rows which break one of the rules that are given, by the conditions that hold for
-- such a row, for rules can be taken away. A row of which part of the key is empty is named by its place in the table too.
SELECT t.relname::text AS name,
       format('SELECT %s AS realm, %L::text AS relation, concat_ws('' '', %s)::text AS key, (''breaks a rule of its table: '' || concat_ws('', '', %s))::text AS what FROM %I.%I WHERE %s',
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'realm')
                   THEN 'coalesce(realm, '''')' ELSE '''''::text' END,
              t.relname,
              (SELECT coalesce(string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum)) FILTER (WHERE a.attname <> 'realm'), 'realm')
                || format(', CASE WHEN num_nulls(%s) > 0 THEN ''at '' || ctid END', coalesce(string_agg(quote_ident(a.attname), ', '), 'ctid'))
               FROM pg_catalog.pg_constraint k
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
               WHERE k.conrelid = t.oid AND k.contype = 'p'),
              string_agg(format('CASE WHEN %s THEN %L END', r.broken, r.rule), ', ' ORDER BY r.rule),
              n.nspname, t.relname,
              string_agg('(' || r.broken || ')', ' OR ' ORDER BY r.rule))::text AS statement
FROM (SELECT unnest(@tables::text[]) AS relation, unnest(@rules::text[]) AS rule, unnest(@broken::text[]) AS broken) r
JOIN pg_catalog.pg_class t ON t.relname = r.relation
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname = 'public' AND NOT (t.relpersistence = 'u' AND pg_is_in_recovery())
GROUP BY t.oid, t.relname, n.nspname
ORDER BY t.relname;
