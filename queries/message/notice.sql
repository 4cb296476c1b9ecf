-- Notices to people by e-mail.

-- name: NoticeChoices :many
SELECT kind, delivery, minutes FROM notice_choice WHERE realm = @realm AND user_id = @user_id;

-- name: NoticeChoicePut :exec
INSERT INTO notice_choice (realm, user_id, kind, delivery, minutes) VALUES (@realm, @user_id, @kind, @delivery, @minutes)
ON CONFLICT (realm, user_id, kind) DO UPDATE SET delivery = excluded.delivery, minutes = excluded.minutes;

-- name: NoticeScan :execrows
-- Adds the notices of what happened or became due since a time, for active users with an address who want them. A notice that is there
-- stays as it is.
WITH p AS (SELECT @realm::text AS realm, @now::timestamptz AS now, @since::timestamptz AS since, @asked_since::timestamptz AS asked_since)
INSERT INTO notice (realm, user_id, kind, message_id, occasion, made_at, due_at)
SELECT u.realm, u.user_id, o.kind, o.message_id, o.occasion, p.now,
       CASE coalesce(c.delivery, k.delivery) WHEN 'hourly' THEN @hour::timestamptz WHEN 'daily' THEN @day::timestamptz ELSE p.now END
FROM (
  SELECT CASE h.to_state WHEN 'Question' THEN 'question' ELSE 'rejected' END AS kind, h.message_id, h.sequence AS occasion, m.maker_user AS user_id,
         h.at AS since
  FROM p JOIN message_history h ON true JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id
  WHERE h.realm = p.realm AND h.to_state IN ('Question', 'Rejected') AND h.from_state <> h.to_state AND h.at > p.since
  UNION ALL
  SELECT 'answer', a.message_id, a.sequence, h.actor_user, a.at
  FROM p JOIN message_history h ON true
  JOIN message_history a ON a.realm = h.realm AND a.message_id = h.message_id AND a.sequence = h.sequence + 1 AND a.to_state = 'Approval Pending'
  WHERE h.realm = p.realm AND h.to_state = 'Question' AND h.from_state <> h.to_state AND h.at > p.asked_since AND a.at > p.since
  UNION ALL
  SELECT w.kind, w.message_id, w.version, g.user_id, w.since
  FROM (
    SELECT 'waiting' AS kind, m.realm, m.message_id, m.version, m.approvals, m.created_at, m.state_since AS since FROM p, message m
    WHERE m.realm = p.realm AND m.state = 'Approval Pending' AND m.state_since > p.since - interval '1 day'
    UNION ALL
    SELECT 'expiring', m.realm, m.message_id, m.version, m.approvals, m.created_at, p.now FROM p, message m
    WHERE m.realm = p.realm AND m.state = 'Approval Pending' AND m.expires_at > p.now
      AND m.expires_at - p.now <= least(interval '4 hours', (m.expires_at - m.created_at) / 4)
  ) w
  JOIN message_version v ON v.realm = w.realm AND v.message_id = w.message_id AND v.version = w.version
  JOIN user_role g ON g.realm = w.realm AND g.role = 'checker' AND g.ended_at IS NULL AND g.granted_at <= w.created_at
  JOIN user_account x ON x.realm = g.realm AND x.user_id = g.user_id AND x.email <> '' AND x.person_id <> ALL (v.makers)
  WHERE w.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = w.realm AND d.message_id = w.message_id
                                         AND d.version = w.version AND d.checker_person = x.person_id)
  UNION ALL
  SELECT 'expiring', m.message_id, m.version, m.maker_user, p.now FROM p, message m
  WHERE m.realm = p.realm AND m.state IN ('Approval Pending', 'Question') AND m.expires_at > p.now
    AND m.expires_at - p.now <= least(interval '4 hours', (m.expires_at - m.created_at) / 4)
  UNION ALL
  SELECT 'recall', m.message_id, 0, g.user_id, p.now FROM p CROSS JOIN message m
  JOIN user_role g ON g.realm = m.realm AND g.role = 'maker' AND g.ended_at IS NULL
  WHERE m.realm = p.realm AND m.kind = 'received recall' AND m.state = 'Awaiting Decision'
    AND m.answer_by > p.now AND m.answer_by <= p.now + interval '3 days'
) o
CROSS JOIN p
JOIN (SELECT unnest(@kinds::text[]) AS kind, unnest(@deliveries::text[]) AS delivery, unnest(@minutes::integer[]) AS minutes) k ON k.kind = o.kind
JOIN user_account u ON u.realm = p.realm AND u.user_id = o.user_id AND u.status = 'active' AND u.email <> ''
LEFT JOIN notice_choice c ON c.realm = u.realm AND c.user_id = u.user_id AND c.kind = o.kind
WHERE coalesce(c.delivery, k.delivery) <> 'none'
  AND o.since + coalesce(c.minutes, k.minutes) * interval '1 minute' BETWEEN p.since AND p.now
ON CONFLICT DO NOTHING;

-- name: NoticesDue :many
SELECT DISTINCT user_id FROM notice
WHERE realm = @realm AND done_at IS NULL AND due_at <= @now::timestamptz AND user_id <> ALL (@held::uuid[])
ORDER BY user_id LIMIT @page_size::integer;

-- name: NoticeFirst :one
-- The e-mail of a user that is due first; NULL for notices that are in none yet. The lock lets one process claim them.
SELECT mail_id FROM notice WHERE realm = @realm AND user_id = @user_id AND done_at IS NULL AND due_at <= @now::timestamptz
ORDER BY due_at, kind, message_id, occasion LIMIT 1 FOR UPDATE;

-- name: NoticeClaim :many
UPDATE notice n SET mail_id = coalesce(n.mail_id, @fresh::uuid), due_at = @held_until::timestamptz FROM message m
WHERE n.realm = @realm AND n.user_id = @user_id AND n.done_at IS NULL AND n.due_at <= @now::timestamptz
  AND n.mail_id IS NOT DISTINCT FROM sqlc.narg(mail_id)::uuid AND m.realm = n.realm AND m.message_id = n.message_id
RETURNING n.kind, n.message_id, n.made_at, n.mail_id, n.failed, m.global_id, m.state;

-- name: NoticeDone :exec
UPDATE notice SET done_at = @now::timestamptz, result = @result::text, failure = @failure,
  failed_at = CASE WHEN @failure::text = '' THEN failed_at ELSE @now::timestamptz END
WHERE realm = @realm AND user_id = @user_id AND mail_id = @mail_id::uuid AND done_at IS NULL;

-- name: NoticeRetry :exec
UPDATE notice SET due_at = @due_at, failed = failed + 1, failed_at = @now::timestamptz, failure = @failure
WHERE realm = @realm AND user_id = @user_id AND mail_id = @mail_id::uuid AND done_at IS NULL;

-- name: NoticeStanding :one
-- How the e-mails of a realm stand: the last one sent, the last failure, notices that failed and are tried again, those given up since a time.
SELECT coalesce(max(CASE WHEN result = 'sent' THEN done_at END), to_timestamp(0))::timestamptz AS sent_at,
       coalesce(max(failed_at), to_timestamp(0))::timestamptz AS failed_at,
       coalesce((array_agg(failure ORDER BY failed_at DESC NULLS LAST))[1], '')::text AS failure,
       count(CASE WHEN done_at IS NULL AND failed > 0 THEN 1 END) AS retrying,
       count(CASE WHEN result = 'failed' AND done_at > @since::timestamptz THEN 1 END) AS given_up
FROM notice WHERE realm = @realm;

-- name: NoticesDrop :execrows
DELETE FROM notice WHERE (realm, user_id, kind, message_id, occasion) IN (
  SELECT n.realm, n.user_id, n.kind, n.message_id, n.occasion FROM notice n
  WHERE n.realm = @realm AND n.made_at < @before::timestamptz LIMIT @page_size::integer);
