-- +goose Up
-- What the operator did past the administrators: brought another one in, or gave somebody another password.
ALTER TABLE break_glass ADD COLUMN deed text NOT NULL DEFAULT 'administrator' CHECK (deed IN ('administrator', 'password'));

-- +goose Down
-- A password that was given so would read as an administrator who was brought in.
ALTER TABLE break_glass DROP COLUMN deed;
