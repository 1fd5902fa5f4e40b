import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import type { JsonObject } from '../identity/user-jwt/claims.ts';
import { isRecord } from '../lib/is-record.ts';
import {
  type Attempt,
  createOpenIdSignIn,
  describeOpenIdFailure,
  judgeOpenIdFailure,
  type OpenIdFailure,
  type OpenIdSignIn,
} from '../oauth/openid-sign-in.ts';
import type { Kit } from '../platform/kit.ts';
import { clientSecretContext, type OpenIdSetting } from '../projects/agent-sign-in.ts';
import { RETURN_PATH } from './addresses.ts';
import { hasShownName, readPerson } from './openid-person.ts';
import type { SignedIn } from './sign-ins.ts';

/** The projects whose providers' documents are in memory. */
const PROVIDERS_MAX = 200;
const PROVIDER_KEPT_MS = 60 * 60_000;

export type OpenIdClient = OpenIdSetting & {
  readonly projectId: string;
  readonly secretSealed: string | null;
};

export type OpenIdPeople = ReturnType<typeof createOpenIdPeople>;

/**
 * Persons who sign in at the project's own OpenID provider. Each project has a redirect URI of its own, so that no
 * project's provider gets a code of another's (RFC 9700 section 4.4).
 */
export function createOpenIdPeople(
  deps: Pick<Kit, 'vault' | 'outbound' | 'publicUrl' | 'log' | 'now'> & {
    readonly allowPrivateNetworks: boolean;
  },
) {
  const known = new LRUCache<string, OpenIdSignIn>({ max: PROVIDERS_MAX, ttl: PROVIDER_KEPT_MS });

  function open(client: OpenIdClient): OpenIdSignIn {
    const { projectId, issuer, clientId, secretSealed } = client;
    const scopes = [...new Set(['openid', ...client.scopes])];
    const key = JSON.stringify([projectId, issuer, clientId, secretSealed, scopes]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = createOpenIdSignIn({
      ...{ ...deps, issuer, clientId, scope: scopes.join(' ') },
      clientSecret:
        secretSealed === null ? null : deps.vault.open(secretSealed, clientSecretContext(projectId)),
      redirectUrl: `${deps.publicUrl}${RETURN_PATH}/${projectId}`,
      allowsHttp: deps.allowPrivateNetworks,
    });
    known.set(key, made);
    return made;
  }

  /** Says in the log why, since the person is not who can mend it. */
  function fail(projectId: string, error: unknown): OpenIdFailure {
    const failure = judgeOpenIdFailure(error);
    const message = 'a person could not sign in at the OpenID provider of a project';
    deps.log.warn({ projectId, failure, ...describeOpenIdFailure(error) }, message);
    return failure;
  }

  return {
    /** Where the browser goes, and what to keep until it comes back. */
    begin: (client: OpenIdClient): Promise<{ readonly url: string; readonly attempt: Attempt }> =>
      open(client)
        .begin()
        .catch((error: unknown) => {
          throw refusalOf(fail(client.projectId, error));
        }),

    /** Who came back. `query` is that of the way back, with its question mark. */
    async complete(client: OpenIdClient, query: string, attempt: Attempt): Promise<SignedIn | 'denied'> {
      const { projectId } = client;
      const outcome = await open(client)
        .complete(query, attempt)
        .catch((error: unknown) => fail(projectId, error));
      if (outcome === 'denied') return outcome;
      if (typeof outcome === 'string') throw refusalOf(outcome);
      const claims = await completeClaims(outcome, client);
      const person = readPerson(claims, client, deps.now());
      if (typeof person !== 'string') return person;
      deps.log.warn({ projectId, reason: person }, 'an ID token does not say who the user is');
      throw new HttpError('agent_sign_in_user_unknown');
    },
  };
}

/** With what the UserInfo endpoint says, where the ID token says little: some providers leave all but `sub` to it. */
async function completeClaims(
  { claims, fetchUserInfo }: Extract<Awaited<ReturnType<OpenIdSignIn['complete']>>, object>,
  { userIdClaim }: OpenIdSetting,
): Promise<JsonObject> {
  if (Object.hasOwn(claims, userIdClaim) && hasShownName(claims)) return claims;
  // Without it there is still the ID token, which may do.
  const more = await fetchUserInfo().catch(() => undefined);
  return isRecord(more) ? { ...more, ...claims } : claims;
}

const REFUSALS = {
  client: 'agent_sign_in_client_refused',
  denied: 'agent_sign_in_provider_failed',
  invalid: 'agent_sign_in_provider_failed',
  unavailable: 'agent_sign_in_provider_unavailable',
} as const;

function refusalOf(failure: OpenIdFailure): HttpError {
  return new HttpError(REFUSALS[failure]);
}
