import base64
import hashlib
import hmac
import json
import os
import re
import time
from pathlib import Path

import jwt
from fastapi import Depends, FastAPI, Form, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.sessions import SessionMiddleware


def secret(name: str) -> str:
    # An empty key signs as well, so that any caller could write sessions and events.
    if not os.environ.get(name):
        raise SystemExit(f"{name} is not set; see .env.example")
    return os.environ[name]


GATEWAY_URL = os.environ["GATEWAY_URL"]
APP_URL = os.environ["APP_URL"]
PRIVATE_KEY = Path(os.environ["SIGNING_KEY_FILE"]).read_text()
EVENT_KEY = base64.b64decode(secret("EVENT_SECRET").removeprefix("whsec_"))
POLICY = (
    f"default-src 'self'; script-src 'self' {GATEWAY_URL}; connect-src 'self' {GATEWAY_URL}; "
    "img-src data:; frame-ancestors 'none'; base-uri 'none'"
)
TOLERANCE_SECONDS = 5 * 60
BODY_BYTES_MAX = 8 * 1024 * 1024
# Stands for the users of your own database.
USERS = {"user-ada": "Ada", "user-ben": "Ben"}
# The latest events of each user. Keep yours in a database.
received: dict[str, list[dict]] = {}

app = FastAPI(openapi_url=None)


@app.middleware("http")
async def guard(request: Request, call_next):
    # Against cross-site request forgery: browsers say which page sends a POST. Events carry a signature instead.
    if request.method == "POST" and request.url.path != "/events" and request.headers.get("origin") != APP_URL:
        return PlainTextResponse("another site", status_code=403)
    response = await call_next(request)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers.setdefault("Cache-Control", "no-store")
    return response


app.add_middleware(
    SessionMiddleware,
    secret_key=secret("SESSION_SECRET"),
    same_site="lax",
    https_only=APP_URL.startswith("https:"),
    max_age=8 * 60 * 60,
)


def signed_in(request: Request) -> str:
    user_id = request.session.get("user_id")
    if user_id not in USERS:
        raise HTTPException(401, "not signed in")
    return user_id


@app.post("/sign-in")
def sign_in(request: Request, user: str = Form("")) -> Response:
    if user in USERS:
        request.session["user_id"] = user
    return RedirectResponse("/", 303)


@app.post("/sign-out")
def sign_out(request: Request) -> Response:
    request.session.clear()
    return RedirectResponse("/", 303)


@app.get("/session")
def session(request: Request) -> dict:
    user_id = request.session.get("user_id")
    return {
        "user": {"id": user_id, "name": USERS[user_id]} if user_id in USERS else None,
        "gatewayUrl": GATEWAY_URL,
        "projectId": os.environ["PROJECT_ID"],
        "provider": os.environ["PROVIDER"],
    }


@app.post("/token")
def token(user_id: str = Depends(signed_in)) -> Response:
    """For the user who is signed in, never for one whom the request names. Short-lived: the page asks again."""
    now = int(time.time())
    claims = {"aud": os.environ["PROJECT_ID"], "sub": user_id, "iat": now, "exp": now + 600}
    signed = jwt.encode(claims, PRIVATE_KEY, algorithm="ES256", headers={"kid": os.environ["SIGNING_KEY_ID"]})
    return PlainTextResponse(signed)


@app.get("/received")
def list_received(user_id: str = Depends(signed_in)) -> list[dict]:
    return received.get(user_id, [])


@app.post("/events")
async def receive(request: Request) -> Response:
    body = await read_body(request)
    if not is_signed(request.headers, body):
        raise HTTPException(400, "not signed for us")
    event = json.loads(body)
    events = received.setdefault(event["userId"], [])
    # Each event comes at least once, always under the same id.
    if all(known["id"] != event["id"] for known in events):
        events.insert(0, event)
        del events[20:]
    return Response(status_code=204)


async def read_body(request: Request) -> bytes:
    """Any caller may send one: no more of it is kept than an event has."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES_MAX:
            raise HTTPException(413, "too large")
    return bytes(body)


def is_signed(headers, body: bytes) -> bool:
    """As Standard Webhooks says, over the raw body."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    content = f"{event_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(EVENT_KEY, content, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)


app.mount("/", StaticFiles(directory=Path(__file__).parent / "public", html=True))
