#!/bin/sh
# Makes the passwords of a studio in containers, once: `sh deploy/make-secrets.sh deploy/secrets`.
# A file that is there is kept. Compose hands secrets to containers as they lie here, so they belong to the user
# that runs in them (10001), or are readable through a group of yours; `chown 10001 deploy/secrets/*` as root.
set -eu
umask 077
folder=${1:?"say where the secrets are to lie, such as deploy/secrets"}
mkdir -p "$folder"

password() { od -An -tx1 -N24 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "$folder/$1" ] || printf %s "$2" > "$folder/$1"; }

keep postgres_password "$(password)"
keep chroma_token "$(password)"
keep prefect_login "bookwright:$(password)"
postgres=$(cat "$folder/postgres_password")
keep database_url "postgresql://bookwright:$postgres@postgres/bookwright"
keep prefect_database_url "postgresql+asyncpg://bookwright:$postgres@postgres/prefect"
