-- What first pages count. Each number is the length of a list that a link leads to, as far as it is counted: nothing is read of a message
-- but that it is there.

-- name: StandingCount :one
-- How many messages wait for an answer of ours, have none of clearing, have none of another bank in time, and how many were rejected and
-- failed since a time; so many of each at most.
SELECT (SELECT count(*) FROM (SELECT FROM message a WHERE a.realm = @realm AND a.state = 'Awaiting Decision' LIMIT @most::integer) AS x)::integer AS to_answer,
       (SELECT count(*) FROM (SELECT FROM message u WHERE u.realm = @realm AND u.state = 'Unconfirmed' LIMIT @most::integer) AS x)::integer AS unconfirmed,
       (SELECT count(*) FROM (SELECT FROM message o WHERE o.realm = @realm AND o.state = 'Overdue' LIMIT @most::integer) AS x)::integer AS overdue,
       (SELECT count(*) FROM (SELECT FROM message r WHERE r.realm = @realm AND r.state = 'Rejected' AND r.state_since >= @since::timestamptz
                              LIMIT @most::integer) AS x)::integer AS rejected,
       (SELECT count(*) FROM (SELECT FROM message f WHERE f.realm = @realm AND f.state = 'Failed' AND f.state_since >= @since::timestamptz
                              LIMIT @most::integer) AS x)::integer AS failed;

-- name: StandingQuestions :one
-- How many messages wait for an answer of their makers, so many at most.
SELECT count(*)::integer AS asked
FROM (SELECT FROM message m WHERE m.realm = @realm AND m.state = 'Question' LIMIT @most::integer) AS x;

-- name: StandingLate :one
-- How many messages of a time on clearing did not answer in time, so many at most; how many received recalls whose last day is before one wait
-- for an answer, how many of ours have none of the other bank in time, and how many expired since that time, so many of each at most.
-- ReportEndedCount says what the order is for.
SELECT (SELECT count(*) FROM (SELECT FROM message_history h WHERE h.realm = @realm AND h.to_state = 'Unconfirmed' AND h.from_state <> h.to_state
                                AND h.at >= @since::timestamptz ORDER BY h.at DESC LIMIT @most_unanswered::integer) AS x)::integer AS unanswered,
       (SELECT count(*) FROM (SELECT FROM message d WHERE d.realm = @realm AND d.state = 'Awaiting Decision' AND d.kind = 'received recall'
                                AND d.answer_by < @due_before::timestamptz LIMIT @most::integer) AS x)::integer AS to_answer,
       (SELECT count(*) FROM (SELECT FROM message o WHERE o.realm = @realm AND o.state = 'Overdue' LIMIT @most::integer) AS x)::integer AS overdue,
       (SELECT count(*) FROM (SELECT FROM message e WHERE e.realm = @realm AND e.state = 'Expired' AND e.state_since >= @since::timestamptz
                              LIMIT @most::integer) AS x)::integer AS expired;

-- name: StandingCountOfMaker :one
-- How many messages of a maker wait for an approval, have no answer of clearing, were rejected and failed since a time; so many of each at
-- most, among so many of anybody's.
SELECT (SELECT count(*) FROM (SELECT l.mine FROM (SELECT w.maker_user = @maker::uuid AS mine FROM message w WHERE w.realm = @realm AND w.state = 'Approval Pending'
                                           ORDER BY w.message_id DESC LIMIT @look::integer) AS l
                              WHERE l.mine LIMIT @most::integer) AS x)::integer AS waiting,
       (SELECT count(*) FROM (SELECT l.mine FROM (SELECT u.maker_user = @maker::uuid AS mine FROM message u WHERE u.realm = @realm AND u.state = 'Unconfirmed'
                                           ORDER BY u.message_id DESC LIMIT @look::integer) AS l
                              WHERE l.mine LIMIT @most::integer) AS x)::integer AS unconfirmed,
       (SELECT count(*) FROM (SELECT l.mine FROM (SELECT r.maker_user = @maker::uuid AS mine FROM message r WHERE r.realm = @realm AND r.state = 'Rejected'
                                             AND r.state_since >= @since::timestamptz ORDER BY r.state_since DESC LIMIT @look::integer) AS l
                              WHERE l.mine LIMIT @most::integer) AS x)::integer AS rejected,
       (SELECT count(*) FROM (SELECT l.mine FROM (SELECT f.maker_user = @maker::uuid AS mine FROM message f WHERE f.realm = @realm AND f.state = 'Failed'
                                             AND f.state_since >= @since::timestamptz ORDER BY f.state_since DESC LIMIT @look::integer) AS l
                              WHERE l.mine LIMIT @most::integer) AS x)::integer AS failed;

-- name: StandingRecalls :one
-- How many received recalls wait for an answer of ours, how many of these have a last day before one, and how many are answered; so many of each
-- at most.
SELECT (SELECT count(*) FROM (SELECT FROM message w WHERE w.realm = @realm AND w.state = 'Awaiting Decision' AND w.kind = 'received recall'
                              LIMIT @most::integer) AS x)::integer AS to_answer,
       (SELECT count(*) FROM (SELECT FROM message d WHERE d.realm = @realm AND d.state = 'Awaiting Decision' AND d.kind = 'received recall'
                                AND d.answer_by < @due_before::timestamptz LIMIT @most::integer) AS x)::integer AS late,
       (SELECT count(*) FROM (SELECT FROM message a WHERE a.realm = @realm AND a.state = 'Answered' AND a.kind = 'received recall'
                              LIMIT @most::integer) AS x)::integer AS answered;

-- name: StandingOfMakerByState :many
-- How many messages of a maker, of so many of the newest, are in each state.
SELECT l.state, count(*)::integer AS messages
FROM (SELECT m.state FROM message m WHERE m.realm = @realm AND m.maker_user = @maker::uuid ORDER BY m.message_id DESC LIMIT @look::integer) AS l
GROUP BY l.state ORDER BY l.state;

-- name: StandingQueue :one
-- How many messages that wait were made before each of some times, among so many of the oldest, and how many expire before one, so many at
-- most; of those made since a time, without the messages that the excluded person made, changed or approved. A message that was never
-- changed has one maker. The messages are read once: PostgreSQL would else read them anew for each time.
WITH waits AS MATERIALIZED (
  SELECT m.created_at FROM message m
  WHERE m.realm = @realm AND m.state = 'Approval Pending'
    AND (sqlc.narg(since)::timestamptz IS NULL OR m.created_at >= sqlc.narg(since)::timestamptz)
    AND (sqlc.narg(exclude_person)::uuid IS NULL OR (m.maker_person IS DISTINCT FROM sqlc.narg(exclude_person)::uuid
         AND (m.version = 1 OR NOT EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id
                           AND v.version = m.version AND sqlc.narg(exclude_person)::uuid = ANY (v.makers)))
         AND (m.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id
                           AND d.version = m.version AND d.checker_person = sqlc.narg(exclude_person)::uuid))))
  ORDER BY m.message_id LIMIT @most::integer
)
SELECT array(SELECT (SELECT count(*) FROM waits w WHERE w.created_at < t.before)::integer
             FROM unnest(@made_before::timestamptz[]) AS t (before) ORDER BY t.before DESC)::integer[] AS older,
       (SELECT count(*) FROM (
          SELECT FROM message m
          WHERE m.realm = @realm AND m.state = 'Approval Pending'
            AND CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END < @expires_before::timestamptz
            AND (sqlc.narg(since)::timestamptz IS NULL OR m.created_at >= sqlc.narg(since)::timestamptz)
            AND (sqlc.narg(exclude_person)::uuid IS NULL OR (m.maker_person IS DISTINCT FROM sqlc.narg(exclude_person)::uuid
                 AND (m.version = 1 OR NOT EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id
                                   AND v.version = m.version AND sqlc.narg(exclude_person)::uuid = ANY (v.makers)))
                 AND (m.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id
                                   AND d.version = m.version AND d.checker_person = sqlc.narg(exclude_person)::uuid))))
          ORDER BY CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END, m.message_id LIMIT @most::integer) AS x)::integer AS ending;

-- name: StandingClearing :many
-- For each of some schemes when clearing last answered, as far as the 2,000 newest documents tell, the epoch where none of them is an answer;
-- how many approved messages clearing did not take since a time, and how many have no answer in time, so many of each at most, with when the
-- oldest of these was released. The newest answer ends the look at documents.
SELECT s.scheme::text AS scheme,
       coalesce((SELECT n.created_at
                 FROM (SELECT d.created_at, d.name, d.direction, d.scheme FROM document d WHERE d.realm = @realm
                       ORDER BY d.document_id DESC LIMIT 2000) n
                 WHERE n.scheme = s.scheme AND n.name = 'pacs.002.001.10' AND n.direction = 'in' LIMIT 1), 'epoch')::timestamptz AS answered,
       (SELECT count(*) FROM (SELECT FROM message m WHERE m.realm = @realm AND m.state = 'Approved' AND m.scheme = s.scheme
                                AND m.state_since < @before::timestamptz ORDER BY m.message_id LIMIT @most::integer) AS x)::integer AS stuck,
       (SELECT count(*) FROM (SELECT FROM message u WHERE u.realm = @realm AND u.state = 'Unconfirmed' AND u.scheme = s.scheme
                              LIMIT @most::integer) AS x)::integer AS unconfirmed,
       coalesce((SELECT min(w.accepted_at) FROM message w WHERE w.realm = @realm AND w.state = 'Unconfirmed' AND w.scheme = s.scheme),
                'epoch')::timestamptz AS unanswered
FROM unnest(@schemes::text[]) AS s (scheme);
