#!/bin/sh
# The two logins and the database of docs/install.md, made once, when the container's database is new.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -v owner="$OWNER_PASSWORD" -v service="$SERVICE_PASSWORD" <<'SQL'
CREATE ROLE countersign_owner LOGIN PASSWORD :'owner' CREATEROLE;
CREATE ROLE countersign_service LOGIN PASSWORD :'service' NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS;
CREATE DATABASE countersign OWNER countersign_owner;
SQL
