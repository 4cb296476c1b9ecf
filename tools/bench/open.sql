-- Payments on their way.
SELECT count(*) FROM message WHERE state IN ('Approved', 'Processing', 'Unconfirmed');
