#!/bin/sh
# Point-in-time recovery as docs/operations.md has it: `begin` starts a server that archives its WAL, `backup` takes a base
# backup, `restore <name>` brings it back, up to the restore point, as another server. BIN, DIR and PORT come from the test.
set -eu
case "$1" in
begin)
  mkdir -p "$DIR/wal"
  "$BIN/initdb" --pgdata="$DIR/main" --username=app --auth=trust >/dev/null
  cat >> "$DIR/main/postgresql.conf" <<CONF
archive_mode = on
archive_command = 'test ! -f $DIR/wal/%f && cp %p $DIR/wal/%f'
CONF
  "$BIN/pg_ctl" start --wait --pgdata="$DIR/main" --log="$DIR/main.log" -o "-p $PORT -k $DIR" >/dev/null
  ;;
backup)
  "$BIN/pg_basebackup" --pgdata="$DIR/base" --host=127.0.0.1 --port="$PORT" --username=app --checkpoint=fast
  ;;
restore)
  "$BIN/pg_ctl" stop --wait --pgdata="$DIR/main" >/dev/null
  touch "$DIR/base/recovery.signal"
  cat >> "$DIR/base/postgresql.conf" <<CONF
restore_command = 'cp $DIR/wal/%f %p'
recovery_target_name = '$2'
recovery_target_action = 'promote'
CONF
  "$BIN/pg_ctl" start --wait --pgdata="$DIR/base" --log="$DIR/base.log" -o "-p $PORT -k $DIR" >/dev/null
  # The server takes readers before it is promoted.
  until "$BIN/psql" -h 127.0.0.1 -p "$PORT" -U app -d postgres -Atc 'SELECT pg_is_in_recovery()' | grep -q f; do sleep 0.1; done
  ;;
stop)
  for name in main base; do "$BIN/pg_ctl" stop --mode=immediate --pgdata="$DIR/$name" >/dev/null 2>&1 || true; done
  ;;
esac
