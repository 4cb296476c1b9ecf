-- How long the newest payments took from their approval to Settled, in milliseconds: half of them, and 99 of 100.
SELECT coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY m.took), 0)::double precision,
       coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY m.took), 0)::double precision
FROM (SELECT extract(epoch FROM settled_at - accepted_at) * 1000 AS took FROM message WHERE state = 'Settled' AND direction = 'out'
      ORDER BY message_id DESC LIMIT $1) m;
