-- +goose Up
-- Who writes content does so under a grant of the role maker, as a decision is made under one of the role checker: in force, and older than
-- the content. Each version refers to the grant of its maker or editor, the first one for the message itself. The time is copied, and the
-- foreign key holds the copy. Versions of before this migration name no grant and stay as they are.
ALTER TABLE message_version
  ADD COLUMN maker_role text,
  ADD COLUMN maker_grant_id uuid,
  ADD COLUMN maker_granted_at timestamptz,
  ADD FOREIGN KEY (realm, maker_user, maker_role, maker_grant_id, maker_granted_at)
    REFERENCES user_role (realm, user_id, role, grant_id, granted_at),
  ADD CONSTRAINT message_version_under_a_grant CHECK (CASE WHEN maker_user IS NULL
    THEN maker_role IS NULL AND maker_grant_id IS NULL AND maker_granted_at IS NULL
    ELSE maker_role IS NOT NULL AND maker_role = 'maker' AND maker_grant_id IS NOT NULL AND maker_granted_at IS NOT NULL
         AND maker_granted_at <= created_at END) NOT VALID;
-- A grant that has ended makes nothing any more. A foreign key cannot say "still", because the version outlives the grant. A version
-- without one is left to the CHECK above.
CREATE POLICY grant_in_force ON message_version AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  maker_grant_id IS NULL
  OR EXISTS (SELECT FROM user_role g WHERE g.realm = message_version.realm AND g.grant_id = message_version.maker_grant_id AND g.ended_at IS NULL));

-- +goose Down
DROP POLICY grant_in_force ON message_version;
ALTER TABLE message_version DROP COLUMN maker_granted_at, DROP COLUMN maker_grant_id, DROP COLUMN maker_role;
