import { isIP } from 'node:net';
import { listTexts } from '../../lib/call-template.ts';
import { suggestName } from '../../lib/closest-name.ts';
import { listPlaceholders, writePlaceholder } from '../../lib/template.ts';
import { actingVariables } from '../facts/acting-variables.ts';
import { listFileUrls } from '../facts/file-urls.ts';
import { compilePattern } from '../facts/pattern.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

/** What {name} in a set-up step may stand for. */
const STEP_NAMES = ['redirectUrl', 'webhookUrl'];
/** Fields that only a sign-in at the provider has a use for. */
const SIGN_IN_FIELDS = ['authorizationUrl', 'refreshUrl'] as const;
const KEY_KINDS: ReadonlySet<string> = new Set(['api-key', 'basic']);
/** Kinds that are not here have access tokens. */
const CREDENTIALS_OF: Readonly<Partial<Record<ProviderFile['auth'], readonly string[]>>> = {
  'api-key': ['apiKey'],
  basic: ['username', 'password'],
  oauth2: ['accessToken'],
  'oauth2-client-credentials': ['accessToken'],
};

/**
 * Mistakes that no request would show at once: the file loads, and something of it has no effect. Reported for new files
 * only, since a description that was accepted once must go on loading.
 */
export function mistakeFaults(file: ProviderFile, given: Readonly<Record<string, unknown>>): Fault[] {
  return [
    ...unusedVariables(file, given),
    ...missedExamples(file),
    ...foreignFields(file, given),
    ...credentialFaults(file),
    ...stepFaults(file),
    ...addressFaults(file),
    ...scopeFaults(file),
    ...bodyFaults(file),
  ];
}

/** The key may be set at the integration, and then an end user could act as anybody. */
export function actingFaults(file: ProviderFile): Fault[] {
  const acting = actingVariables(file);
  return Object.entries(file.variables).flatMap(([name, given]) => {
    const { from, secret } = typeof given === 'string' ? { from: 'user', secret: false } : given;
    if (from !== 'user' || secret || !acting.has(name)) return [];
    const reason =
      'says for whom the key acts, which the application says and not the end user: needs from: application, or from: integration';
    return [{ path: ['variables', name, 'from'], reason }];
  });
}

/** Who reads that a provider has ended asks first how long ago, or how soon. */
export function endFaults({ status, statusDate }: ProviderFile): Fault[] {
  if (status !== 'ended' || statusDate !== undefined) return [];
  return [
    { path: ['statusDate'], reason: 'is needed by status: ended, such as 2026-08-31, 2026-08 or 2026' },
  ];
}

/** Every placeholder of the file stands somewhere in its text, whatever field it is in. */
function unusedVariables(file: ProviderFile, given: Readonly<Record<string, unknown>>): Fault[] {
  const { variables, ...rest } = file;
  // What logs in by other means reads keys from variables that no template names.
  if (CREDENTIALS_OF[file.auth] === undefined) return [];
  // A grant may use what the entry declares, and an account or a tenant may be one of the variables.
  const text = JSON.stringify([rest, given.grants]);
  const named = new Set(listPlaceholders(text));
  return Object.keys(variables)
    .filter((name) => !named.has(name) && !text.includes(`"${name}"`))
    .map((name) => ({ path: ['variables', name], reason: 'is not named by any template of the file' }));
}

function missedExamples({ variables }: ProviderFile): Fault[] {
  return Object.entries(variables).flatMap(([name, variable]) => {
    if (typeof variable === 'string' || variable.pattern === undefined) return [];
    const compiled = compilePattern(variable.pattern);
    if (!compiled.ok) return [];
    return (['example', 'default'] as const)
      .filter((field) => variable[field] !== undefined && !compiled.pattern.matchesAll(variable[field]))
      .map((field) => ({ path: ['variables', name, field], reason: 'does not match the pattern' }));
  });
}

function foreignFields(file: ProviderFile, given: Readonly<Record<string, unknown>>): Fault[] {
  const ofSignIn = KEY_KINDS.has(file.auth)
    ? SIGN_IN_FIELDS.filter((field) => file[field] !== undefined)
    : [];
  const isExcused = file.noRevocation !== undefined && file.revocationUrl !== undefined;
  const isWithoutAddress = given.revocation !== undefined && file.revocationUrl === undefined;
  return [
    ...ofSignIn.map((field) => ({ path: [field], reason: `does not belong where auth is ${file.auth}` })),
    ...(isWithoutAddress ? [{ path: ['revocation'], reason: 'needs revocationUrl' }] : []),
    ...(isExcused
      ? [{ path: ['noRevocation'], reason: 'does not belong where there is a revocationUrl' }]
      : []),
  ];
}

function stepFaults({ setupSteps }: ProviderFile): Fault[] {
  return setupSteps.flatMap((step, index) =>
    listPlaceholders(step)
      .filter((name) => !STEP_NAMES.includes(name))
      .map((name) => ({
        path: ['setupSteps', index],
        reason: `names {${name}}, which is not filled in${suggestName(name, STEP_NAMES, writePlaceholder)}`,
      })),
  );
}

/** A numeric address is in a private network, or may belong to another owner tomorrow. */
function addressFaults(file: ProviderFile): Fault[] {
  return listFileUrls(file).flatMap(([field, url]) => {
    const host = /^https:\/\/(\[[^\]]*\]|[^/:?{]*)/.exec(url)?.[1] ?? '';
    const isNumbers = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
    return isNumbers ? [{ path: field.split('.'), reason: 'must be a name, not an IP address' }] : [];
  });
}

/** A scope is one word (RFC 6749 3.3), and where commas divide them, a comma is no part of one. */
function scopeFaults({ defaultScopes, scopeSeparator }: ProviderFile): Fault[] {
  return defaultScopes.flatMap((scope, index) => {
    const isSeveral = /\S\s+\S/.test(scope) || (scopeSeparator === ',' && scope.includes(','));
    return isSeveral
      ? [{ path: ['defaultScopes', index], reason: 'is several scopes: list each by itself' }]
      : [];
  });
}

const GRAPHQL = /^\s*(?:query|mutation|subscription|fragment)\b|^\s*\{[^}]*\{/;

/** Braces mean a selection in GraphQL, so no text of these bodies is a template; elsewhere a known name was meant as one. */
function bodyFaults({ auth, account, tenants, probe, variables }: ProviderFile): Fault[] {
  const known = new Set([...Object.keys(variables), ...(CREDENTIALS_OF[auth] ?? ['accessToken'])]);
  const bodies = [
    [['account', 'request', 'body'], account?.request?.body],
    [['tenants', 'request', 'body'], tenants?.request.body],
    [['probe', 'body'], probe?.body],
  ] as const;
  return bodies.flatMap(([path, body]) => {
    const texts = listTexts(body).filter((text) => !GRAPHQL.test(text));
    const named = new Set(texts.flatMap(listPlaceholders));
    return Array.from(named.intersection(known), (name) => ({
      path,
      reason: `names {${name}}, and no text of this body is filled in: name it in the address or a header`,
    }));
  });
}

/** A credential that this kind of authentication does not have leaves the header or parameter out of every call. */
function credentialFaults({ auth, variables, apiHeaders, apiQuery }: ProviderFile): Fault[] {
  const own: readonly string[] = CREDENTIALS_OF[auth] ?? ['accessToken'];
  const known = Object.values(CREDENTIALS_OF).flat();
  const blocks = { apiHeaders, apiQuery };
  return Object.entries(blocks).flatMap(([block, templates]) =>
    Object.entries(templates).flatMap(([name, template]) =>
      listPlaceholders(template)
        .filter((used) => known.includes(used) && !own.includes(used) && !Object.hasOwn(variables, used))
        .map((used) => ({
          path: [block, name],
          reason: `names {${used}}, which auth: ${auth} does not have`,
        })),
    ),
  );
}
