import { HttpError } from '../../http/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { type MandateEntry, readMandateClaim } from '../../mandates/mandate.schema.ts';
import { type BatchPaths, findCovers } from '../../mandates/narrower.ts';
import { listLimits } from '../../mandates/read-user-mandate.ts';
import { ACTORS_MAX, type ExchangeClaim } from '../../mandates/token-rights.ts';
import type { Actor } from '../../mandates/user-mandate.ts';
import type { FindAccessFacts } from '../mandates/explain.router.ts';
import type { NamedMandates } from '../mandates/named-mandates.ts';
import type { SigningKeysStore } from '../signing-keys/signing-keys.store.ts';
import { pickTagClaims } from '../user-jwt/claimed-tags.ts';
import { readUserToken, signUserToken, TokenTooLongError } from '../user-jwt/user-jwt.ts';
import type { KeySets } from '../verification/key-sets.ts';
import { findSigningKeyId } from '../verification/parent-keys.ts';
import type { VerifiedToken } from '../verification/verified-tokens.ts';
import { ExchangeError, type ExchangeRequest, invalid } from './exchange-request.ts';

/** Exchanges in a row: each token names those before it. */
const PARENTS_MAX = 8;

export type ExchangeDependencies = {
  readonly keySets: Pick<KeySets, 'verifyManagementToken' | 'recall'>;
  readonly findMandate: NamedMandates['find'];
  readonly findAccessFacts: FindAccessFacts;
  readonly signingKeys: Pick<SigningKeysStore, 'findMintingKey'>;
  /** Claims that the project makes tags of. */
  findTagClaims(projectId: string): Promise<readonly string[]>;
  /** Counts an exchange of the user. Throws `rate_limited`. */
  countExchange(projectId: string, subject: string): void;
  /** Origins under which the proxy is reached. */
  readonly origins: readonly string[];
  now(): number;
};

export type Exchanged = {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly entries: readonly MandateEntry[] | undefined;
};

export type Caller = {
  networkOfCaller(): string;
  /** Hears whose token it is before anything is made of it. */
  noteProject(projectId: string): Promise<void>;
};

type Limits = ExchangeClaim['limits'];
type Rights = { readonly entries: readonly MandateEntry[] | undefined; readonly limits: Limits };

/**
 * Makes a narrower and shorter token of a user token (RFC 8693). It only shrinks: in what it allows, in its lifetime, and in
 * what it survives, since a revocation of the first token, of its user, or of its key takes it along. Throws an
 * `ExchangeError`, or the HttpError of what has to do with load.
 */
export function createExchangeToken(deps: ExchangeDependencies) {
  return async (request: ExchangeRequest, { networkOfCaller, noteProject }: Caller): Promise<Exchanged> => {
    const parent = await verifySubject(deps, request, networkOfCaller);
    const { projectId, subject } = parent;
    await noteProject(projectId);
    deps.countExchange(projectId, subject);
    assertTargets(request, projectId, deps.origins);
    const actors = await chainActors(deps, request, parent, networkOfCaller);
    const { entries, limits } = await narrow(deps, parent, request.entries);
    const nowMs = deps.now();
    const leftSeconds = Math.floor((parent.expiresAtMs - nowMs) / 1000);
    if (leftSeconds < 1) throw invalid('The subject token is about to expire.');
    const key = await deps.signingKeys.findMintingKey(projectId);
    if (key === undefined) throw invalid('The project has no managed signing key.');
    const expiresInSeconds = Math.min(leftSeconds, request.expiresInSeconds);
    const token = sign({
      ...key,
      ...{ projectId, subject, expiresInSeconds, actors },
      authorizationDetails: entries,
      mandateId: parent.rights?.mandateId,
      membership: parent.membership,
      tagClaims: pickTagClaims(parent.text, await deps.findTagClaims(projectId)),
      exchange: describeParents(parent, limits),
      now: nowMs,
    });
    return { token, expiresInSeconds, entries };
  };
}

function sign(input: Parameters<typeof signUserToken>[0]): string {
  try {
    return signUserToken(input).token;
  } catch (error) {
    throw error instanceof TokenTooLongError ? invalid(error.message) : error;
  }
}

/**
 * The subject token, by the project that an audience names. One that is not of that project, but of the one that it names
 * itself, is good: then the audience is refused, whether there is such a project or not.
 */
async function verifySubject(
  deps: ExchangeDependencies,
  { subjectToken, audiences }: ExchangeRequest,
  networkOfCaller: () => string,
): Promise<VerifiedToken> {
  const named = audiences.find(isUuid);
  return await verify(deps, subjectToken, named, networkOfCaller)
    .catch((error: unknown) => {
      const isOfOther = error instanceof HttpError && error.code === 'token_invalid';
      if (named === undefined || !isOfOther) throw error;
      return verify(deps, subjectToken, undefined, networkOfCaller);
    })
    .catch(refuseToken);
}

/** RFC 8693 section 2.2.2 has one code for every fault of a token. */
function refuseToken(error: unknown): never {
  throw error instanceof HttpError && error.status === 401 ? invalid(error.detail) : error;
}

/** The token, whose user may use it now. `projectId` says whose it is; left out, its claim `aud` does. */
async function verify(
  { keySets }: ExchangeDependencies,
  text: string,
  projectId: string | undefined,
  networkOfCaller: () => string,
): Promise<VerifiedToken> {
  const user = await keySets.verifyManagementToken(text, networkOfCaller, projectId);
  if (user.mandate?.refusal !== undefined) throw invalid(user.mandate.refusal.detail);
  const token = keySets.recall(text);
  if (token === undefined) throw new HttpError('overloaded', { headers: { 'Retry-After': '1' } });
  return token;
}

function assertTargets(
  { audiences, resources }: ExchangeRequest,
  projectId: string,
  origins: readonly string[],
): void {
  // An origin with and without its slash is the same (RFC 3986 section 6.2.3), and URL libraries write it.
  const wholes = origins.map((origin) => `${origin}/`);
  const bases = wholes.map((whole) => `${whole}projects/${projectId}`);
  const isOurs = (resource: string) => {
    // As a client resolves it, so that no dots lead to another project; RFC 8707 section 2 allows no fragment.
    const address = resource.includes('#') ? undefined : URL.parse(resource)?.href;
    if (address === undefined) return false;
    return (
      wholes.includes(address) || bases.some((base) => address === base || address.startsWith(`${base}/`))
    );
  };
  if (audiences.every((one) => one.toLowerCase() === projectId) && resources.every(isOurs)) return;
  throw new ExchangeError('invalid_target', 'The token is for its project alone, at this gateway.');
}

async function chainActors(
  deps: ExchangeDependencies,
  { actorToken, requestedActor }: ExchangeRequest,
  parent: VerifiedToken,
  networkOfCaller: () => string,
): Promise<readonly Actor[] | undefined> {
  const before = parent.rights?.actors ?? [];
  const id =
    actorToken === undefined
      ? requestedActor
      : (await verify(deps, actorToken, parent.projectId, networkOfCaller).catch(refuseToken)).subject;
  if (id === undefined) return before.length === 0 ? undefined : before;
  if (before.length >= ACTORS_MAX) throw invalid(`A token names at most ${ACTORS_MAX} actors.`);
  return [{ id }, ...before];
}

/** What the new token allows, with the hourly limits that go on counting. */
async function narrow(
  deps: ExchangeDependencies,
  parent: VerifiedToken,
  asked: readonly MandateEntry[] | undefined,
): Promise<Rights> {
  const reading = readMandateClaim(readUserToken(parent.text)?.payload.authorization_details);
  const own = reading.kind === 'entries' ? reading.entries : undefined;
  const inherited = parent.rights?.exchange?.limits ?? [];
  if (asked === undefined) return { entries: own, limits: inherited };
  const batchOf = await readBatches(deps, parent.projectId, asked);
  const { mandateId } = parent.rights ?? {};
  if (mandateId !== undefined) {
    const named = await deps.findMandate(parent.projectId, mandateId);
    if (named.refusal !== undefined) throw invalid(named.refusal.detail);
    requireCovers(asked, named.entries, batchOf);
  }
  if (own === undefined) return { entries: asked, limits: [] };
  const covers = requireCovers(asked, own, batchOf);
  return {
    entries: asked,
    limits: asked.map((entry, index) => limitsOfCover(entry, own, inherited, covers[index] ?? -1)),
  };
}

function requireCovers(
  asked: readonly MandateEntry[],
  parent: readonly MandateEntry[],
  batchOf: BatchPaths,
): readonly number[] {
  const covers = findCovers(asked, parent, batchOf);
  const outside = covers.indexOf(-1);
  if (outside === -1) return covers;
  throw new ExchangeError(
    'invalid_target',
    `authorization_details[${outside}] allows more than any one entry of the subject token, or of its mandate.`,
  );
}

/** Calls of the new token count for the entry that it comes from as well; not twice where both say the same. */
function limitsOfCover(
  entry: MandateEntry,
  parent: readonly MandateEntry[],
  inherited: Limits,
  cover: number,
): Limits[number] {
  const covering = parent[cover];
  const own = new Set(listLimits(entry).map(({ key }) => key));
  const ofParent = covering === undefined ? [] : listLimits(covering);
  const limits = [
    ...ofParent.map(({ key, perHour }): [string, number] => [key, perHour]),
    ...(inherited[cover] ?? []),
  ];
  return limits.filter(([key]) => !own.has(key));
}

async function readBatches(
  { findAccessFacts }: ExchangeDependencies,
  projectId: string,
  entries: readonly MandateEntry[],
): Promise<BatchPaths> {
  const known = new Map<string, readonly string[] | undefined>();
  for (const { provider } of entries) {
    if (known.has(provider)) continue;
    // An entry for a provider that the project does not have allows nothing.
    const facts = await findAccessFacts(projectId, provider, []).catch((error: unknown) => {
      if (error instanceof HttpError && error.status === 404) return undefined;
      throw error;
    });
    known.set(provider, facts?.batch);
  }
  return (provider) => known.get(provider);
}

function describeParents(parent: VerifiedToken, limits: Limits): ExchangeClaim {
  const { jti, parentJtis = [], issuedAtMs, keyIdentity, rights } = parent;
  const jtis = [...(jti === null ? [] : [jti]), ...parentJtis];
  const keys = [...new Set([findSigningKeyId(keyIdentity), ...(rights?.exchange?.keys ?? [])])];
  if (Math.max(jtis.length, keys.length, ...limits.map((list) => list.length)) > PARENTS_MAX)
    throw invalid(`A token may come from ${PARENTS_MAX} others at most.`);
  return { jtis, iat: Math.floor(issuedAtMs / 1000), keys, limits };
}
