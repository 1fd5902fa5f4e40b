import type { Response } from 'express';

/** An operation that goes away: since when it should not be used, from when it may be gone, and what to call instead. */
export type Deprecation = {
  /** A date, `2027-01-31`: when it was deprecated. */
  readonly since: string;
  /** A date at least six months after `since` (docs/stability.md): from then on the operation may be gone. */
  readonly sunset: string;
  /** One sentence: what to call instead. */
  readonly instead: string;
};

/** The reference says at its top how long anything stays. */
const POLICY = '/docs';

/**
 * Sets the fields of a deprecated operation's answers: `Deprecation` (RFC 9745, seconds since 1970), `Sunset` (RFC 8594)
 * and the address of the policy; nothing for others.
 */
export function announceDeprecation(
  response: Response,
  deprecation: Deprecation | undefined,
  publicUrl: string,
): void {
  if (!deprecation) return;
  response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1000}`);
  response.setHeader('Sunset', new Date(deprecation.sunset).toUTCString());
  response.setHeader('Link', `<${publicUrl}${POLICY}>; rel="deprecation"; type="text/html"`);
}
