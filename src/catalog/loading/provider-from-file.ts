import type { z } from 'zod';
import { explainIssue } from '../../lib/explain-issue.ts';
import { isRecord } from '../../lib/is-record.ts';
import { judge } from '../../lib/judge.ts';
import { KEY_TEXT_LENGTH_MAX } from '../../lib/private-key.ts';
import { actingVariables } from '../facts/acting-variables.ts';
import { withEvidence } from '../facts/evidence.ts';
import { isFreeHost, listFileUrls, type Placements, placementsIn } from '../facts/file-urls.ts';
import { fillMcpDefaults, mcpTimeouts } from '../facts/mcp-defaults.ts';
import { type Fields, overlayGrant } from '../facts/overlay-auth-method.ts';
import { findOriginVariable, shapeFor } from '../facts/url-template.ts';
import { usualCallerPlaces } from '../facts/usual-caller-places.ts';
import {
  grantFieldFaults,
  namingFaults,
  repetitionFaults,
  unknownFieldReason,
} from '../rules/auth-method-rules.ts';
import { actingFaults, endFaults, mistakeFaults } from '../rules/lint-rules.ts';
import { providerFaults } from '../rules/provider-rules.ts';
import { sourceFaults } from '../rules/source-rules.ts';
import { transcriptionFaults } from '../rules/transcription-rules.ts';
import {
  type Provider,
  type ProviderFile,
  type ProviderVariable,
  providerFileSchema,
} from '../schema/provider.schema.ts';
import { ProviderGrant } from '../schema/provider-auth-methods.ts';

const IN_WORDS = { error: explainIssue };
const FIELDS = Object.keys(providerFileSchema.shape);

export type ProviderOptions = {
  /** Lets URLs be http and hosts be local names or addresses. */
  readonly allowPrivateNetworks: boolean;
  /**
   * Skips the check of patterns: the description was accepted before, and a value is refused where its pattern is
   * invalid.
   */
  readonly hasKnownPatterns?: boolean;
  /** Takes a description whose credentials nothing proves for faulty, as it is in a built-in one. */
  readonly isProofNeeded?: boolean;
  /** Faults of its form that are reported; left out: all. */
  readonly faultsMax?: number;
  /** Refuses what a description that was taken before may go on saying. */
  readonly isNew?: boolean;
};

/** One thing wrong with a provider description: the field, and why. */
export type ProviderFault = { readonly path: readonly PropertyKey[]; readonly reason: string };

export type LoadedProvider =
  | { readonly ok: true; readonly provider: Provider }
  | { readonly ok: false; readonly faults: readonly ProviderFault[] };

/**
 * Turns the content of a provider file into a catalog entry, or says everything that is wrong with it. Plain facts (id,
 * name, auth, URLs, …) are enough; every behaviour has a default.
 */
export function providerFromFile(content: unknown, options: ProviderOptions): LoadedProvider {
  const parsed = parseProviderFile(content, options.faultsMax);
  if (!parsed.ok) return parsed;
  const labelled = withEvidence(parsed.file);
  const file = moveKeyOutOfBase(labelled);
  const placements = placementsIn(file);
  const isJudgedAsNew = options.isNew === true || options.isProofNeeded === true;
  const faults = [
    ...providerFaults(file, placements, options),
    ...sourceFaults(parsed.file),
    ...(options.isProofNeeded ? mistakeFaults(file, isRecord(content) ? content : {}) : []),
    ...(options.isProofNeeded ? transcriptionFaults(file) : []),
    ...(isJudgedAsNew ? [...actingFaults(file), ...endFaults(file)] : []),
    ...parsed.grants.flatMap(faultsOfGrant),
  ];
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, provider: buildProvider(labelled, options) };

  function faultsOfGrant(effective: ProviderFile, index: number): ProviderFault[] {
    const grant = moveKeyOutOfBase(effective);
    const found = [
      ...providerFaults(grant, placementsIn(grant), options),
      ...(isJudgedAsNew ? actingFaults(grant) : []),
    ];
    return found.map(({ path, reason }) => ({
      path: ['grants', index, ...path],
      reason,
    }));
  }
}

type ParsedFile =
  | { readonly ok: true; readonly file: ProviderFile; readonly grants: readonly ProviderFile[] }
  | { readonly ok: false; readonly faults: readonly ProviderFault[] };

/**
 * A provider file as its schema gives it back, and what it is for each of its grants; or its first faults.
 */
export function parseProviderFile(given: unknown, faultsMax = Number.POSITIVE_INFINITY): ParsedFile {
  const content = fillMcpDefaults(given);
  const parsed = judge(providerFileSchema, content, explainIssue);
  if (!parsed.ok) {
    const found = Iterator.from(parsed.issues).flatMap(faultsOf);
    return { ok: false, faults: found.take(faultsMax).toArray() };
  }
  const { grants } = parsed.data;
  if (grants.length === 0) return { ok: true, file: parsed.data, grants: [] };
  const entry: Fields = isRecord(content) ? content : {};
  const effective: ProviderFile[] = [];
  const faults: ProviderFault[] = namingFaults(parsed.data);
  for (const [index, grant] of grants.entries()) {
    const overlaid = providerFileSchema.safeParse(overlayGrant(entry, grant), IN_WORDS);
    const found = grantFieldFaults(grant, entry, FIELDS);
    // A fault that the auth method's own fields have is not reported again.
    const ofValues = overlaid.success ? [] : overlaid.error.issues.flatMap((issue) => [...faultsOf(issue)]);
    const reported = new Set(found.map(({ path }) => path[0]));
    found.push(...ofValues.filter(({ path: [field] }) => !reported.has(field)));
    faults.push(...found.map(({ path, reason }) => ({ path: ['grants', index, ...path], reason })));
    if (overlaid.success) effective.push(overlaid.data);
  }
  if (faults.length === 0) faults.push(...repetitionFaults(parsed.data, effective));
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, file: parsed.data, grants: effective };
}

/** The entry's grants, each made when it is first asked for. */
function grantsOf(file: ProviderFile, options: ProviderOptions): ProviderGrant[] {
  return file.grants.map(
    (grant) =>
      new ProviderGrant(grant, () => ({
        ...buildEntry(providerFileSchema.parse(overlayGrant(file, grant)), options),
        grant: grant.id,
      })),
  );
}

function faultsOf(issue: z.core.$ZodIssue): Iterable<ProviderFault> {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      reason: unknownFieldReason(key, issue.path.length === 0 ? FIELDS : []),
    }));
  }
  if (issue.code === 'invalid_union') {
    // The alternative that came closest explains most: an object in place of a text is judged as an object.
    const closest = issue.errors.toSorted((left, right) => depth(right) - depth(left))[0] ?? [];
    const describe = (inner: z.core.$ZodIssue): ProviderFault => ({
      path: [...issue.path, ...inner.path],
      reason: inner.message,
    });
    if (closest.length > 0) return closest.values().map(describe);
  }
  return [{ path: issue.path, reason: issue.message }];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(
    0,
    ...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)),
  );
}

/** `https://api.example.com/bot{apiKey}`: the key must not sit in an address that is shown, so the path moves. */
function moveKeyOutOfBase(file: ProviderFile): ProviderFile {
  if (file.apiKey?.in !== 'path' || !file.apiBaseUrl.includes('{apiKey}')) return file;
  const pathStart = file.apiBaseUrl.indexOf('/', file.apiBaseUrl.indexOf('://') + '://'.length);
  if (pathStart < 0) return file;
  const origin = file.apiBaseUrl.slice(0, pathStart);
  return {
    ...file,
    apiBaseUrl: origin,
    apiKey: { ...file.apiKey, template: file.apiBaseUrl.slice(pathStart) },
  };
}

/** The catalog entry of a file that has no fault. */
export function buildProvider(given: ProviderFile, options: ProviderOptions): Provider {
  const entry = buildEntry(given, options);
  return entry.callerCredentials.length > 0
    ? entry
    : { ...entry, callerCredentials: usualCallerPlaces(given) };
}

function buildEntry(given: ProviderFile, options: ProviderOptions): Provider {
  const file = moveKeyOutOfBase(given);
  return { ...entryOf(file, placementsIn(file), options), grants: grantsOf(given, options) };
}

function entryOf(
  file: ProviderFile,
  placements: Placements,
  options: ProviderOptions,
): Omit<Provider, 'grants'> {
  const { grants: _grants, sources: _sources, agree: _agree, conflicts: _conflicts, ...rest } = file;
  const login = loginOf(file);
  const acting = actingVariables({ ...file, login });
  return {
    ...rest,
    ...mcpTimeouts(file),
    callerCredentials: [...rest.callerCredentials, ...signingPlacesOf(file)],
    // RFC 5849 section 2.2: the verifier is what the browser brings back.
    ...(file.auth === 'oauth1' && { callback: { ...file.callback, codeParameter: 'oauth_verifier' } }),
    ...(login && { login }),
    grant: null,
    status: file.status ?? (file.setupSteps.length > 0 ? 'available' : 'unknown'),
    // RFC 6749 3.1 has servers ignore parameters that they do not know, so PKCE is sent unless it is known to break.
    pkce: file.pkce ?? true,
    tokenEndpointAuth: file.tokenEndpointAuth ?? 'client_secret_post',
    ...(file.auth === 'basic' && { basic: file.basic ?? { username: '{username}', password: '{password}' } }),
    variables: Object.entries(file.variables).map(([name, given]) =>
      withActingSource(variableOf(name, given, file, placements, options), acting),
    ),
  };
}

/** Where clients that sign calls themselves have the user token in the place of a key. */
function signingPlacesOf({ auth }: ProviderFile): ProviderFile['callerCredentials'] {
  if (auth === 'oauth1') return [{ in: 'signature', scheme: 'OAuth', parameter: 'oauth_token' }];
  if (auth !== 'aws-sigv4') return [];
  return [
    { in: 'signature', scheme: 'AWS4-HMAC-SHA256', parameter: 'Credential' },
    { in: 'header', name: 'X-Amz-Security-Token' },
  ];
}

type GivenVariable = ProviderFile['variables'][string];

function variableOf(
  name: string,
  given: GivenVariable,
  file: ProviderFile,
  placements: Placements,
  options: ProviderOptions,
): ProviderVariable {
  const position = placements.positionOf(name);
  const { pattern: ownPattern, ...full }: Exclude<GivenVariable, string> =
    typeof given === 'string'
      ? {
          from: sourceOf(name, file, placements),
          description: given.slice(0, 300),
          secret: false,
        }
      : given;
  return {
    ...full,
    name,
    path: (typeof given === 'string' ? undefined : given.path) ?? name,
    position,
    ownPattern,
    shape: full.input === undefined ? shapeFor(position, ownPattern, options) : PASTED_SHAPE,
  };
}

/** For whom a key acts is no word of the end user's, also where a description of an earlier release says so. */
function withActingSource(variable: ProviderVariable, acting: ReadonlySet<string>): ProviderVariable {
  const isUsersWord = variable.from === 'user' && !variable.secret && acting.has(variable.name);
  return isUsersWord ? { ...variable, from: 'application' } : variable;
}

/** A pasted file is judged by what it is; its lines are of any kind. */
const PASTED_SHAPE = `^[\\s\\S]{1,${KEY_TEXT_LENGTH_MAX}}$`;

/** The grant of RFC 7523 section 2.1, where the file says no other requests. */
function loginOf({ auth, login, tokenUrl, tokenParams, tokenRequest }: ProviderFile): ProviderFile['login'] {
  if (login !== undefined || auth !== 'jwt-bearer' || tokenUrl === undefined) return login;
  const body = { grant_type: JWT_BEARER_GRANT, assertion: '{jwt}', ...tokenParams };
  const { encoding, headers } = tokenRequest;
  return {
    steps: [{ method: 'POST', url: tokenUrl, encoding, headers, body }],
    answer: 'json',
    refusedStatuses: [401, 403],
    goneStatuses: [],
  };
}

const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Where a variable's value comes from when the file does not say. */
function sourceOf(name: string, file: ProviderFile, placements: Placements): ProviderVariable['from'] {
  const isBaseOnly =
    findOriginVariable(file.apiBaseUrl) === name &&
    !listFileUrls(file).some(([field]) => field !== 'apiBaseUrl' && placements.isIn(field, name));
  if (file.auth === 'oauth2' && isBaseOnly) return 'token-response';
  // The token endpoint's host receives the client secret, so the operator names it, not an end user.
  if (isFreeHost(placements.positionOf(name)) && placements.isInSecretUrl(name)) return 'integration';
  return 'user';
}
