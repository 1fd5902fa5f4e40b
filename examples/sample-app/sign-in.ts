import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import express, { type Request, type RequestHandler, type Router } from 'express';

/** A user of the sample application. Your own application has its own, and its own way of signing in. */
export type SampleUser = { readonly id: string; readonly name: string; readonly role: string };

export const SAMPLE_USERS: readonly SampleUser[] = [
  { id: 'user-mia', name: 'Mia Torres', role: 'Sales' },
  { id: 'user-noah', name: 'Noah Bauer', role: 'Support' },
  { id: 'user-zoe', name: 'Zoe Quinn', role: 'Marketing' },
];

const COOKIE = 'sample_app_user';
const LIFETIME_MS = 8 * 60 * 60 * 1000;

export type SignIn = {
  readonly router: Router;
  /** Answers 401 to a visitor who is not signed in. */
  readonly required: RequestHandler;
  /** Sends them to the sign-in page instead. */
  readonly orSignInPage: RequestHandler;
  /** Behind either of the two. */
  readonly userOf: (req: Request) => SampleUser;
};

/** Sign-in by a cookie that says who it is and until when, and carries an HMAC so that an attacker cannot forge one. */
export function createSignIn({ secureCookie }: { secureCookie: boolean }): SignIn {
  const hmacKey = randomBytes(32);
  const signatureOf = (value: string) => createHmac('sha256', hmacKey).update(value).digest();
  const router = express.Router();

  router.get('/sign-in', (_req, res) => {
    res.send(SIGN_IN_PAGE);
  });

  router.post('/sign-in', express.urlencoded({ extended: false }), (req, res) => {
    const user = SAMPLE_USERS.find(({ id }) => id === req.body?.user);
    if (!user) {
      res.status(400).send(SIGN_IN_PAGE);
      return;
    }
    const value = `${user.id}.${Date.now() + LIFETIME_MS}`;
    res.cookie(COOKIE, `${value}.${signatureOf(value).toString('base64url')}`, {
      httpOnly: true,
      sameSite: 'lax',
      secure: secureCookie,
      maxAge: LIFETIME_MS,
    });
    res.redirect(303, '/');
  });

  router.post('/sign-out', (_req, res) => {
    res.clearCookie(COOKIE);
    res.redirect(303, '/sign-in');
  });

  function currentUser(req: Request): SampleUser | undefined {
    const cookie = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(req.headers.cookie ?? '')?.[1] ?? '';
    const [id = '', expiresMs = '', signature = ''] = cookie.split('.');
    const expected = signatureOf(`${id}.${expiresMs}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    if (Number(expiresMs) < Date.now()) return undefined;
    return SAMPLE_USERS.find((user) => user.id === id);
  }

  function userOf(req: Request): SampleUser {
    const user = currentUser(req);
    if (user === undefined) throw new Error('No user is signed in');
    return user;
  }

  const required: RequestHandler = (req, res, next) => {
    if (currentUser(req) === undefined) res.status(401).json({ error: 'Nobody is signed in' });
    else next();
  };
  const orSignInPage: RequestHandler = (req, res, next) => {
    if (currentUser(req) === undefined) res.redirect(303, '/sign-in');
    else next();
  };

  return { router, required, orSignInPage, userOf };
}

const SIGN_IN_PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Sign in · Sample App</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/style.css">
</head>
<body class="sign-in">
  <main class="card">
    <p class="brand">Sample App</p>
    <h1>Who are you today?</h1>
    <p class="quiet">Every user connects an account of their own.</p>
    <form method="post" action="/sign-in">
      ${SAMPLE_USERS.map(
        ({ id, name, role }) =>
          `<button class="person" name="user" value="${id}"><strong>${name}</strong><span>${role}</span></button>`,
      ).join('\n      ')}
    </form>
  </main>
</body>
</html>
`;
