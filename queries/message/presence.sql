-- name: PresencePut :exec
-- The person looks at this message now. Looking at the same again writes a row every few seconds at most.
INSERT INTO presence AS old (realm, person_id, message_id, seen_at) VALUES (@realm, @person_id, @message_id, @seen_at)
ON CONFLICT (realm, person_id) DO UPDATE SET message_id = excluded.message_id, seen_at = excluded.seen_at
WHERE old.message_id <> excluded.message_id OR old.seen_at < excluded.seen_at - interval '10 seconds';

-- name: PresenceStay :exec
-- The person still looks at what they looked at a moment ago.
UPDATE presence SET seen_at = @now
WHERE realm = @realm AND person_id = @person_id AND seen_at < @before AND seen_at >= @since;

-- name: PresenceList :many
-- Who looked at what since a time, without the person who asks; so many at most. Of what waits no more nobody is told: there is nothing
-- left to be quick about. The state is asked message by message: a join would be free to read the realm.
SELECT x.message_id, x.person_id, p.display_name FROM presence x
JOIN person p ON p.realm = x.realm AND p.person_id = x.person_id
WHERE x.realm = @realm AND x.person_id <> @person_id AND x.seen_at >= @since::timestamptz
  AND (SELECT m.state FROM message m WHERE m.realm = x.realm AND m.message_id = x.message_id) = 'Approval Pending'
ORDER BY p.display_name LIMIT 200;

-- name: MessageLookInsert :exec
-- The person has these versions open for the first time. The order keeps two requests of one person from waiting for each other.
INSERT INTO message_look (realm, message_id, version, person_id, first_at)
SELECT @realm::text, n.message_id, n.version, @person_id::uuid, @first_at::timestamptz
FROM (SELECT unnest(@message_ids::uuid[]) AS message_id, unnest(@versions::integer[]) AS version) n
ORDER BY n.message_id, n.version
ON CONFLICT DO NOTHING;
