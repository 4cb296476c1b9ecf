-- Everything that the migrations make in the schema public, one row an object: its kind, its name, and what it is. What belongs to an
-- extension is left out, and what is the owner's own right; so is whatever other roles may only read. Settings of databases and roles that
-- would take rules away stand here too.
WITH ours AS (
  SELECT c.* FROM pg_catalog.pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
), owner AS (
  SELECT relowner AS oid FROM pg_catalog.pg_class WHERE oid = 'public.realm'::regclass
), grants AS (
  SELECT 'relation ' || c.relname AS place, a.grantee, a.privilege_type, a.is_grantable FROM ours c, aclexplode(c.relacl) a
  UNION ALL
  SELECT 'column ' || c.relname || '.' || t.attname, a.grantee, a.privilege_type, a.is_grantable
  FROM ours c JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
  UNION ALL
  SELECT 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', a.grantee, a.privilege_type, a.is_grantable
  FROM pg_catalog.pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
  WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT 'schema public', a.grantee, a.privilege_type, a.is_grantable
  FROM pg_catalog.pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a WHERE n.nspname = 'public' AND a.grantee <> n.nspowner
  UNION ALL
  SELECT 'database', a.grantee, a.privilege_type, a.is_grantable
  FROM pg_catalog.pg_database b, aclexplode(coalesce(b.datacl, acldefault('d', b.datdba))) a
  WHERE b.datname = current_database() AND a.privilege_type <> 'CONNECT' AND a.grantee <> b.datdba
), described AS (
  SELECT 'table'::text AS kind, c.relname::text AS name,
         concat_ws(', ', CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'relation of kind ' || c.relkind::text END,
           CASE c.relpersistence WHEN 'p' THEN NULL ELSE 'persistence ' || c.relpersistence::text END,
           CASE WHEN c.relrowsecurity THEN 'row-level security' END, CASE WHEN c.relforcerowsecurity THEN 'forced' END,
           array_to_string(c.reloptions, ' '), CASE WHEN c.relowner <> o.oid THEN 'of another owner' END) AS definition
  FROM ours c, owner o WHERE c.relkind <> 'S'
  UNION ALL
  SELECT 'view', c.relname, pg_get_viewdef(c.oid) FROM ours c WHERE c.relkind = 'v'
  UNION ALL
  SELECT 'column', c.relname || '.' || a.attname,
         concat_ws(' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
           'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), nullif('identity ' || a.attidentity::text, 'identity '), nullif('generated ' || a.attgenerated::text, 'generated '))
  FROM ours c
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relkind = 'r'
  UNION ALL
  SELECT 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
  FROM ours c JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype IN ('c', 'f', 'p', 'u', 'x')
  UNION ALL
  SELECT 'index', c.relname || '.' || x.relname, pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid AND i.indislive THEN '' ELSE ' (not valid)' END
  FROM ours c JOIN pg_catalog.pg_index i ON i.indrelid = c.oid JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
  UNION ALL
  SELECT 'policy', c.relname || '.' || p.polname,
         concat_ws(' ', CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, 'for', p.polcmd::text, 'to',
           (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(r)::text END, ', ') FROM unnest(p.polroles) r),
           'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid))
  FROM ours c JOIN pg_catalog.pg_policy p ON p.polrelid = c.oid
  UNION ALL
  SELECT DISTINCT 'trigger', c.relname || '.' || coalesce(k.conname, t.tgname),
         CASE WHEN t.tgisinternal THEN 'switched off' ELSE pg_get_triggerdef(t.oid) || CASE t.tgenabled WHEN 'O' THEN '' ELSE ' (switched ' || t.tgenabled::text || ')' END END
  FROM ours c JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid LEFT JOIN pg_catalog.pg_constraint k ON k.oid = t.tgconstraint
  WHERE NOT t.tgisinternal OR t.tgenabled <> 'O'
  UNION ALL
  SELECT 'rule', c.relname || '.' || r.rulename, pg_get_ruledef(r.oid)
  FROM ours c JOIN pg_catalog.pg_rewrite r ON r.ev_class = c.oid AND r.rulename <> '_RETURN'
  UNION ALL
  SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
         concat_ws(' ', 'RETURNS', pg_get_function_result(p.oid), l.lanname, p.provolatile::text, CASE WHEN p.prosecdef THEN 'SECURITY DEFINER' END,
           array_to_string(p.proconfig, ' '), CASE WHEN p.proowner <> o.oid THEN 'of another owner' END, p.prosrc)
  FROM owner o, pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT 'grant', g.place || ' to ' || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(g.grantee)::text END,
         string_agg(g.privilege_type || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', ' ORDER BY g.privilege_type)
  FROM grants g, owner o
  WHERE g.grantee <> o.oid
    AND (g.grantee = 0 OR pg_get_userbyid(g.grantee) IN ('countersign_app', 'countersign_reader') OR g.privilege_type NOT IN ('SELECT', 'USAGE'))
  GROUP BY g.place, g.grantee
  UNION ALL
  SELECT 'role', r.rolname,
         concat_ws(', ', 'role', CASE WHEN r.rolsuper THEN 'superuser' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END,
           CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolcreatedb THEN 'CREATEDB' END, CASE WHEN r.rolreplication THEN 'REPLICATION' END,
           (SELECT 'member of ' || string_agg(pg_get_userbyid(m.roleid), ', ') FROM pg_catalog.pg_auth_members m WHERE m.member = r.oid))
  FROM pg_catalog.pg_roles r WHERE r.rolname IN ('countersign_app', 'countersign_reader')
  UNION ALL
  SELECT 'setting', concat_ws(' ', b.datname, r.rolname, split_part(x.value, '=', 1)), x.value
  FROM pg_catalog.pg_db_role_setting s
  CROSS JOIN unnest(s.setconfig) AS x(value)
  LEFT JOIN pg_catalog.pg_database b ON b.oid = s.setdatabase
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
  WHERE (s.setdatabase = 0 OR b.datname = current_database())
    AND split_part(x.value, '=', 1) IN ('session_replication_role', 'row_security', 'countersign.realm')
    -- what a login behind a pooler begins with (docs/operations.md); the service could say it itself, and sees no realm's messages by it
    AND NOT (s.setrole <> 0 AND x.value = 'countersign.realm=(gateway)')
  UNION ALL
  SELECT 'row', 'legal_move ' || concat_ws(', ', kind, from_state, action, to_state), 'a legal move' FROM legal_move
  UNION ALL
  SELECT 'row', concat('role_duty ', role), coalesce(duty, '') FROM role_duty
)
SELECT kind::text AS kind, name::text AS name, regexp_replace(definition, '\s+', ' ', 'g')::text AS definition
FROM described ORDER BY 1, 2, 3
