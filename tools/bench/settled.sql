-- When the newest payments were settled, and how long they took from their approval to then, in microseconds.
SELECT settled_at, (extract(epoch FROM settled_at - accepted_at) * 1000000)::bigint
FROM message WHERE state = 'Settled' AND direction = 'out' ORDER BY message_id DESC LIMIT $1;
