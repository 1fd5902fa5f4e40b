import { readPath, toFilledText } from '../lib/json-path.ts';

const COMPACT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;
const SECONDS_MAX = 10 * 365 * 24 * 60 * 60;

/**
 * Seconds until a token ends that is a JWT with `exp` (RFC 7519 section 4.1.4), by the claim alone: it is the provider's
 * own, and only says when to ask for the next one. Null where it is none, or says nothing that can be.
 */
export function secondsUntilExpiry(token: string, nowMs: number): number | null {
  const [, payload] = COMPACT.exec(token) ?? [];
  if (payload === undefined) return null;
  const seconds = Math.floor(Number(toFilledText(claim(payload, 'exp'))) - nowMs / 1000);
  return seconds > 0 && seconds <= SECONDS_MAX ? seconds : null;
}

function claim(payload: string, name: string): unknown {
  try {
    return readPath(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), name);
  } catch {
    return undefined;
  }
}
