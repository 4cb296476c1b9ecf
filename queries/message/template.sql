-- Payments that are entered again and again, under a name. The answers are encrypted.

-- name: TemplateInsert :execrows
-- A new template of a user, unless they have so many already; a name they have used is given the new meaning.
INSERT INTO payment_template (realm, template_id, user_id, name, scheme, answers, shared, saved_at)
SELECT @realm::text, @template_id::uuid, @user_id::uuid, @name::text, @scheme::text, @answers::bytea, @shared::boolean, @now::timestamptz
WHERE (SELECT count(*) FROM payment_template x WHERE x.realm = @realm::text AND x.user_id = @user_id::uuid AND x.name <> @name::text) < @most::integer
ON CONFLICT (realm, user_id, name) DO UPDATE SET template_id = excluded.template_id, scheme = excluded.scheme, answers = excluded.answers,
  shared = excluded.shared, saved_at = excluded.saved_at;

-- name: TemplateUpdate :execrows
-- Renames a template of the user, and shares it or not.
UPDATE payment_template SET name = @name, shared = @shared WHERE realm = @realm AND template_id = @template_id AND user_id = @user_id;

-- name: TemplateDelete :execrows
DELETE FROM payment_template WHERE realm = @realm AND template_id = @template_id AND user_id = @user_id;

-- name: TemplateGet :one
-- A template of the user, or one that somebody who is still here shares.
SELECT t.* FROM payment_template t
JOIN user_account u ON u.realm = t.realm AND u.user_id = t.user_id
WHERE t.realm = @realm AND t.template_id = @template_id AND (t.user_id = @user_id OR t.shared AND u.status = 'active');

-- name: TemplateList :many
-- The templates of a user, and those that others share, by name.
SELECT sqlc.embed(t), (t.user_id = @user_id)::boolean AS own, p.display_name AS owner
FROM payment_template t
JOIN user_account u ON u.realm = t.realm AND u.user_id = t.user_id
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
WHERE t.realm = @realm AND (t.user_id = @user_id OR t.shared AND u.status = 'active')
ORDER BY (t.user_id = @user_id) DESC, lower(t.name), t.template_id LIMIT 200;
