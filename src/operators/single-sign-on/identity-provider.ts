import { z } from 'zod';
import { type Attempt, createOpenIdSignIn } from '../../oauth/openid-sign-in.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Identity } from '../accounts/identities.store.ts';

const SCOPE = 'openid email profile';

/** Whom the identity provider has signed in. */
export type Person = Identity & {
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
};

/** Both in the ID token and in what the UserInfo endpoint answers; some providers send the flag as a text. */
const claimsSchema = z.object({
  email: z.email().max(254).optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Signing operators in at the company's OpenID provider. Rejects with the library's errors. */
export function createIdentityProvider(deps: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
  allowsHttp: boolean;
  outbound: Outbound;
  now(): number;
}) {
  const signIn = createOpenIdSignIn({ ...deps, scope: SCOPE });
  return {
    issuer: deps.issuer,
    begin: signIn.begin,

    /** Who came back. `query` is that of the callback, with its question mark. */
    async complete(query: string, attempt: Attempt): Promise<Person> {
      const { claims: idToken, fetchUserInfo } = await signIn.complete(query, attempt);
      let claims = claimsSchema.parse(idToken);
      if (claims.email === undefined) {
        const more = await fetchUserInfo();
        if (more !== undefined) claims = claimsSchema.parse(more);
      }
      return {
        issuer: idToken.iss,
        subject: idToken.sub,
        email: claims.email,
        isEmailVerified: claims.email_verified === true,
        name: claims.name,
      };
    },
  };
}
