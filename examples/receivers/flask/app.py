import base64
import hmac
import os
import re
import sqlite3
import time
from contextlib import closing

from flask import Flask, request

TOLERANCE_SECONDS = 5 * 60
# The newest first; two while you rotate.
KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["EVENT_SECRETS"].split()]
DATABASE = os.environ.get("DATABASE_FILE", "inbox.db")

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 8 * 1024 * 1024

with closing(sqlite3.connect(DATABASE)) as db:
    db.execute("CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, body TEXT NOT NULL)")


def is_signed(message_id: str, timestamp: str, signatures: str, body: bytes) -> bool:
    if not message_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, content, "sha256")) for key in KEYS]
    return any(hmac.compare_digest(one, given) for one in expected for given in signatures.encode().split(b" "))


@app.post("/events")
def receive():
    body = request.get_data()  # the raw body, which the signature covers
    header = request.headers
    message_id = header.get("webhook-id", "")
    if not is_signed(message_id, header.get("webhook-timestamp", ""), header.get("webhook-signature", ""), body):
        return "not signed for us", 400
    with closing(sqlite3.connect(DATABASE)) as db, db:
        stored = db.execute(
            "INSERT INTO inbox (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", (message_id, body.decode())
        )
    # Flask answers 500 where the insert failed, and the gateway sends the event again.
    if stored.rowcount == 1:
        print("stored", message_id, flush=True)
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ["PORT"]))
