-- name: SavedViewInsert :execrows
-- A new view of a user, unless they have so many already; a name they have used is given the new meaning.
INSERT INTO saved_view (realm, view_id, user_id, name, query, shared, created_at)
SELECT @realm::text, @view_id::uuid, @user_id::uuid, @name::text, @query::text, @shared::boolean, @now::timestamptz
WHERE (SELECT count(*) FROM saved_view x WHERE x.realm = @realm::text AND x.user_id = @user_id::uuid AND x.name <> @name::text) < @most::integer
ON CONFLICT (realm, user_id, name) DO UPDATE SET query = excluded.query, shared = excluded.shared;

-- name: SavedViewUpdate :execrows
-- Renames a view of the user, and shares it or not.
UPDATE saved_view SET name = @name, shared = @shared WHERE realm = @realm AND view_id = @view_id AND user_id = @user_id;

-- name: SavedViewDelete :execrows
DELETE FROM saved_view WHERE realm = @realm AND view_id = @view_id AND user_id = @user_id;

-- name: SavedViewList :many
-- The views of a user, and those that others share, by name.
SELECT v.view_id, v.name, v.query, v.shared, (v.user_id = @user_id)::boolean AS own, p.display_name AS owner
FROM saved_view v
JOIN user_account u ON u.realm = v.realm AND u.user_id = v.user_id
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
WHERE v.realm = @realm AND (v.user_id = @user_id OR v.shared AND u.status = 'active')
ORDER BY (v.user_id = @user_id) DESC, lower(v.name), v.view_id LIMIT 60;
