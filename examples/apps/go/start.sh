#!/bin/sh
cd "$(dirname "$0")" || exit 1
if [ -f .env ]; then set -a && . ./.env && set +a; fi
exec go run .
