import os
import sys
import time
from pathlib import Path

import jwt  # pip install "PyJWT[crypto]"

private_key = Path(os.environ["SIGNING_KEY_FILE"]).read_text()


def user_token(user_id: str) -> str:
    now = int(time.time())
    claims = {"aud": os.environ["PROJECT_ID"], "sub": user_id, "iat": now, "exp": now + 3600}
    return jwt.encode(claims, private_key, algorithm="ES256", headers={"kid": os.environ["SIGNING_KEY_ID"]})


print(user_token(sys.argv[1]))
