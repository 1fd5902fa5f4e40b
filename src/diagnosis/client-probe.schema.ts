import { z } from 'zod';

const text = z.string().nullable();

/** What the token endpoint made of a request with a made-up code. */
const tokenAnswer = z.object({
  verdict: z.enum([
    'accepted',
    'refused',
    'app_refused',
    'redirect_refused',
    'not_found',
    'page',
    'unreachable',
    'unprovable',
  ]),
  origin: z.string(),
  code: text,
  words: text,
  status: z.number().nullable(),
  /** Why there was no answer. */
  failure: text,
  durationMs: z.number(),
  skewMs: z.number().nullable(),
});

const authorizationAnswer = z.object({
  verdict: z.enum([
    'accepted',
    'client_unknown',
    'redirect_refused',
    'scopes_refused',
    'app_refused',
    'tenant_unknown',
    'not_found',
    'page_refused',
    'unreachable',
    'unprovable',
  ]),
  origin: z.string(),
  code: text,
  status: z.number().nullable(),
  failure: text,
  /** Of a page that refuses, its first words. */
  words: text.default(null),
  /** Whether a client that cannot exist gets the same page; null: not compared. */
  isSameForOthers: z.boolean().nullable().default(null),
});

/** What a provider said of a client; kept in the store, so it holds no secret. */
export const clientProbeSchema = z.object({
  /** Null: there is no token endpoint to ask, for `reason`. */
  token: tokenAnswer.nullable(),
  reason: text,
  /** Of the older secret, where the newer one is refused. */
  older: tokenAnswer.shape.verdict.nullable(),
  otherRegion: z.object({ variable: z.string(), region: z.string(), otherRegion: z.string() }).nullable(),
  /** The provider takes the id for the secret and the secret for the id. */
  isSwapped: z.boolean().default(false),
  authorization: authorizationAnswer.nullable(),
});

export type ClientProbe = z.infer<typeof clientProbeSchema>;
export type TokenResponse = z.infer<typeof tokenAnswer>;
export type AuthorizationResponse = z.infer<typeof authorizationAnswer>;
