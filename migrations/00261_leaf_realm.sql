-- +goose Up
-- Leaves and nodes stand in the realm of their tree: whoever writes them has locked the tree's row, and the statement takes the realm from
-- there. The tree's row has the foreign key to the realm; one on each leaf asked the same again for every row of the trail, and locked the
-- realm's row for it.
ALTER TABLE audit_leaf DROP CONSTRAINT audit_leaf_realm_fkey;
ALTER TABLE audit_node DROP CONSTRAINT audit_node_realm_fkey;

-- +goose Down
ALTER TABLE audit_leaf ADD FOREIGN KEY (realm) REFERENCES realm;
ALTER TABLE audit_node ADD FOREIGN KEY (realm) REFERENCES realm;
