import { randomBytes } from 'node:crypto';
import express, { type Router } from 'express';
import { CrmError } from './crm-errors.ts';
import { CRM_USERS, type CrmUser, findUserByPassword } from './hubs.ts';

/** Beyond this the oldest session ends: a demo that runs for weeks keeps none of them for ever. */
const SESSIONS_MAX = 1_000;

export type DirectAccess = ReturnType<typeof createDirectAccess>;

/**
 * Credentials without OAuth 2.0, to try the gateway's other ways to authenticate with: a key of each user, and a log-in
 * that answers a session token. Both may do what any app may.
 */
export function createDirectAccess() {
  const users = new Map<string, CrmUser>(CRM_USERS.map((user) => [describeKey(user), user]));
  const sessions: string[] = [];

  return {
    findUser: (credential: string): CrmUser | undefined => users.get(credential),

    logIn(email: string, password: string): string | undefined {
      const user = findUserByPassword(email, password);
      if (user === undefined) return undefined;
      const token = `session-${randomBytes(16).toString('base64url')}`;
      users.set(token, user);
      sessions.push(token);
      if (sessions.length > SESSIONS_MAX) users.delete(sessions.shift() ?? '');
      return token;
    },
  };
}

/** The key of a user: the name before the @ of the address. */
export function describeKey({ email }: CrmUser): string {
  return `demo-key-${email.split('@', 1)[0]}`;
}

/** `POST /sessions { email, password }` answers `{ token }`. */
export function createSessionsRouter(access: DirectAccess): Router {
  const router = express.Router();
  router.post('/sessions', express.json(), (req, res) => {
    const { email, password } = Object(req.body);
    const token = access.logIn(String(email), String(password));
    if (token === undefined) {
      throw new CrmError(
        401,
        'INVALID_AUTHENTICATION',
        'The e-mail address and the password do not fit together.',
      );
    }
    res.status(201).json({ token });
  });
  return router;
}
