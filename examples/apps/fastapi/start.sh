#!/bin/sh
# Debian's packages, or a virtual environment with requirements.txt: PYTHON=.venv/bin/python sh start.sh
cd "$(dirname "$0")" || exit 1
if [ -f .env ]; then set -a && . ./.env && set +a; fi
exec "${PYTHON:-/usr/bin/python3}" -m uvicorn app:app --host 127.0.0.1 --port "$PORT"
