import {
  type LoadedProvider,
  type ProviderFault,
  type ProviderOptions,
  providerFromFile,
} from '../catalog/loading/provider-from-file.ts';
import {
  isResponseField,
  OWN_RESPONSE_TYPES,
  readResponseType,
  WEBHOOK_RESPONSE_FIELDS,
} from '../catalog/rules/webhook-response-rules.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../catalog/schema/provider-auth-methods.ts';

/** What ids of a project's own providers begin with. No provider file can have such an id. */
export const CUSTOM_PREFIX = 'custom:';

/** Eight times the longest one of the built-in catalog. */
const DESCRIPTION_LENGTH_MAX = 32 * 1024;

/** More than an answer lists. */
const FAULTS_MAX = 100;

/** True for an id that only a project's own provider can have. */
export function isCustomId(provider: string): boolean {
  return provider.startsWith(CUSTOM_PREFIX);
}

/** The description with the id as files have it, for a caller who sends the whole one back. */
export function stripCustomPrefix(description: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { id } = description;
  if (typeof id !== 'string' || !isCustomId(id)) return { ...description };
  return { ...description, id: id.slice(CUSTOM_PREFIX.length) };
}

const NO_RESPONSE_FIELD = `must be one of the fields that webhooks may be answered with: ${[...WEBHOOK_RESPONSE_FIELDS].join(', ')}`;

/** Longest id of a description, as the schema of files has it. */
const ID_LENGTH_MAX = 40;

/** The description with what its address says of an MCP server, and with an id made of its name where it has none. */
export function completeDescription(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const description = stripCustomPrefix(given);
  const { id, name, mcp } = description;
  if (mcp === undefined || id !== undefined || typeof name !== 'string') return description;
  return { id: idOf(name), ...description };
}

function idOf(name: string): string {
  const words = name
    .slice(0, 200)
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['mcp'];
  return words.join('-').slice(0, ID_LENGTH_MAX).replace(/-$/, '');
}

/**
 * Turns what an API caller sent into a provider, by the rules of provider files and some more: files are the operator's
 * own, this may come from any holder of a project's key. Lists every fault.
 */
export function providerFromDescription(description: unknown, options: ProviderOptions): LoadedProvider {
  if (JSON.stringify(description).length > DESCRIPTION_LENGTH_MAX) {
    const reason = `the description is longer than ${DESCRIPTION_LENGTH_MAX} characters`;
    return { ok: false, faults: [{ path: [], reason }] };
  }
  return judgeDescription(description, { ...options, isNew: true, faultsMax: FAULTS_MAX });
}

/** The provider of a description that was taken before. It may have become invalid, since settings and rules change. */
export function providerFromStored(description: unknown, options: ProviderOptions): LoadedProvider {
  return judgeDescription(description, { ...options, hasKnownPatterns: true });
}

function judgeDescription(description: unknown, options: ProviderOptions): LoadedProvider {
  const loaded = providerFromFile(description, options);
  if (!loaded.ok) return loaded;
  const { provider } = loaded;
  const faults = listAuthMethods(provider).flatMap((each) => {
    const found = [...secretFaults(each), ...responseFaults(each)];
    // Of a stored one, the answer leaves out what may not be said.
    if (options.isNew) found.push(...webhookAnswerFaults(each));
    const index = provider.grants.findIndex(({ id }) => id === each.grant);
    return index < 0
      ? found
      : found.map(({ path, reason }) => ({ path: ['grants', index, ...path], reason }));
  });
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, provider: { ...provider, id: `${CUSTOM_PREFIX}${provider.id}` } };
}

/** A field that passes to a browser acts on the origin that all projects share. */
function responseFaults({ responseHeaders }: Provider): ProviderFault[] {
  if (responseHeaders.length === 0) return [];
  return [{ path: ['responseHeaders'], reason: 'is for the provider files of the operator' }];
}

/** So does an answer to a webhook. */
function webhookAnswerFaults({ webhooks: { handshake = [], acknowledge } }: Provider): ProviderFault[] {
  const named: (readonly [path: readonly PropertyKey[], name: string])[] = [
    ...handshake.flatMap(({ answer }, index) =>
      Object.keys(answer.headers).map(
        (name) => [['handshake', index, 'answer', 'headers', name], name] as const,
      ),
    ),
    ...(acknowledge?.echoHeaders ?? []).map(
      (name, index) => [['acknowledge', 'echoHeaders', index], name] as const,
    ),
  ];
  const faults = named.flatMap(([path, name]) =>
    isResponseField(name) ? [] : [{ path: ['webhooks', ...path], reason: NO_RESPONSE_FIELD }],
  );
  const type = acknowledge?.contentType;
  if (type === undefined || readResponseType(type, true) !== undefined) return faults;
  const path = ['webhooks', 'acknowledge', 'contentType'];
  return [...faults, { path, reason: `must be ${OWN_RESPONSE_TYPES}: the answer must not be a page` }];
}

/** A description is stored and shown in plain, so it must not hold a secret. */
function secretFaults({ variables }: Provider): ProviderFault[] {
  return variables
    .filter(({ secret, default: usual }) => secret && usual !== undefined)
    .map(({ name }) => ({
      path: ['variables', name, 'default'],
      reason: 'would show the secret to everybody',
    }));
}
