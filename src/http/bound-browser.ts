import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';
import { hostCookie, hostCookieName, readCookie } from './cookies.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A page that a link opens once: its id, and the hash of the cookie that its browser has from then on. */
type BoundPage = { readonly browserHash: Buffer | null };

type Binding<Session> = {
  /** Begins the names of the cookies, before the page's id. */
  readonly cookiePrefix: string;
  readonly cookieSeconds: number;
  readonly publicUrl: string;
  idOf(session: Session): string;
  findByToken(tokenHash: Buffer): Promise<Session | undefined>;
  find(id: string): Promise<Session | undefined>;
  /** False where another browser was there first. */
  bind(tokenHash: Buffer, browserHash: Buffer): Promise<boolean>;
};

/** A page in the browser of the person: what a link opens once, and a cookie from then on. */
export type OwnPage<Session> = {
  readonly session: Session;
  /** Has to come back with every form, so that no other site's page can send one. */
  readonly formToken: string;
};

/** Whether a form that was sent is the page's own, and a page of this origin sent it. */
export function isOwnForm(
  request: IncomingMessage,
  { formToken }: Pick<OwnPage<unknown>, 'formToken'>,
  sent: string,
): boolean {
  const site = request.headers['sec-fetch-site'];
  return (site === undefined || site === 'same-origin') && sent === formToken;
}

/** Binds pages to the browser that opened their link. The page's own address opens nothing without the cookie. */
export function createBoundBrowsers<Session extends BoundPage>(binding: Binding<Session>) {
  const { publicUrl, idOf } = binding;
  const nameOf = (id: string) => `${binding.cookiePrefix}${id.replaceAll('-', '')}`;

  /** The value of the page's cookie, where it is this browser's page. */
  function readOwn(request: IncomingMessage, session: Session): string | undefined {
    const value = readCookie(request, hostCookieName(nameOf(idOf(session)), publicUrl));
    if (value === undefined || session.browserHash === null) return undefined;
    return timingSafeEqual(sha256(value), session.browserHash) ? value : undefined;
  }

  return {
    isToken: (text: string) => TOKEN.test(text),

    /** Takes the link for this browser: which page it is, and the cookie, unless the browser has it. */
    async open(
      request: IncomingMessage,
      token: string,
    ): Promise<{ readonly id: string; readonly cookie: string | undefined } | undefined> {
      const tokenHash = sha256(token);
      const session = await binding.findByToken(tokenHash);
      if (session === undefined) return undefined;
      const id = idOf(session);
      if (readOwn(request, session) !== undefined) return { id, cookie: undefined };
      const { token: value, hash } = createOpaqueToken('');
      if (!(await binding.bind(tokenHash, hash))) return undefined;
      return { id, cookie: hostCookie(nameOf(id), value, publicUrl, binding.cookieSeconds) };
    },

    async findOwn(request: IncomingMessage, id: string): Promise<OwnPage<Session> | undefined> {
      const session = await binding.find(id);
      const value = session && readOwn(request, session);
      if (session === undefined || value === undefined) return undefined;
      return { session, formToken: sha256(`form ${value}`).toString('base64url') };
    },
  };
}
