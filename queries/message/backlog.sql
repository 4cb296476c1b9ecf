-- What waits, for the operator's metrics: counted to a bound, so that a long queue costs no more than that.

-- name: BacklogOf :one
-- Of one scheme in a realm. oldest is the epoch when nothing is undelivered, first when nothing is in flight, and unanswered when nothing is unconfirmed.
SELECT (SELECT count(*) FROM (SELECT FROM message p WHERE p.realm = @realm AND p.scheme = @scheme AND p.state = 'Approval Pending'
                              LIMIT @most::integer) AS x)::bigint AS pending,
       (SELECT count(*) FROM (SELECT FROM message f WHERE f.realm = @realm AND f.scheme = @scheme AND f.state IN ('Approved', 'Processing')
                                AND f.kind IN ('instruction', 'return') LIMIT @most::integer) AS x)::bigint AS in_flight,
       (SELECT count(*) FROM (SELECT FROM message u WHERE u.realm = @realm AND u.scheme = @scheme AND u.state = 'Unconfirmed'
                              LIMIT @most::integer) AS x)::bigint AS unconfirmed,
       coalesce((SELECT min(w.accepted_at) FROM message w WHERE w.realm = @realm AND w.scheme = @scheme AND w.state = 'Unconfirmed'),
                'epoch')::timestamptz AS unanswered,
       (SELECT count(*) FROM (SELECT FROM message d WHERE d.realm = @realm AND d.scheme = @scheme AND d.accepted_at IS NOT NULL
                                AND d.delivered_at IS NULL LIMIT @most::integer) AS x)::bigint AS undelivered,
       coalesce((SELECT min(o.accepted_at) FROM message o WHERE o.realm = @realm AND o.scheme = @scheme AND o.accepted_at IS NOT NULL
                   AND o.delivered_at IS NULL), 'epoch')::timestamptz AS oldest,
       coalesce((SELECT min(g.accepted_at) FROM message g WHERE g.realm = @realm AND g.scheme = @scheme
                   AND g.state IN ('Approved', 'Processing') AND g.kind IN ('instruction', 'return')), 'epoch')::timestamptz AS first;

-- name: BacklogOfAnswers :one
-- Answers of a scheme that clearing does not have.
SELECT count(*) FROM (SELECT FROM outbox WHERE scheme = @scheme AND delivered_at IS NULL AND refused_at IS NULL LIMIT @most::integer) AS x;
