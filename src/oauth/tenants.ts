import { setImmediate } from 'node:timers/promises';
import { compilePattern } from '../catalog/facts/pattern.ts';
import { validateVariable } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { TenantsFile } from '../catalog/schema/provider-tenants.schema.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { isRecord } from '../lib/is-record.ts';
import { isQuickToParse } from '../lib/json-bounds.ts';
import { readFirstPath, readPath, toFilledText } from '../lib/json-path.ts';
import { parseJson } from '../lib/parse-json.ts';
import { toStorableText } from '../lib/storable-text.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { credentialedMessage } from './account.ts';
import { readProviderWords } from './provider-words.ts';
import { secretsIn } from './secret-values.ts';
import { nextTenantsPage, type TenantsPage } from './tenants-paging.ts';

/** All pages together; a person waits for the answer. */
const TIMEOUT_MS = 20_000;
const PAGE_TIMEOUT_MS = 10_000;
const PAGE_BYTES_MAX = 2 * 1024 * 1024;
const PAGES_MAX = 100;
const TENANTS_MAX = 5_000;
const TEXT_LENGTH_MAX = 255;
/** Elements that are read between two turns of the event loop. */
const BATCH = 100;

/** One of the sites, organisations or accounts that a grant reaches. */
export type Tenant = {
  readonly id: string;
  readonly name: string | null;
  /** What distinguishes it from another one of the same name. */
  readonly detail: string | null;
  /** What a connection on it has: the variables with `from: tenant`. */
  readonly variables: Readonly<Record<string, string>>;
};

export type TenantList =
  /** `isComplete` false: there are more than are read. */
  | { readonly ok: true; readonly tenants: readonly Tenant[]; readonly isComplete: boolean }
  | {
      readonly ok: false;
      /** The provider refused the credential (401), refused the list (another 4xx), or brought no usable answer. */
      readonly kind: 'credential_refused' | 'list_refused' | 'unavailable';
      /** What the provider says of it, without credentials. */
      readonly words?: string;
    };

/**
 * The tenants that a grant reaches, as the provider lists them and the catalog filters them, each once. `values` fill the
 * catalog's templates: the credential, the variables known by now, and the client's. Bounded in time, pages, size and
 * number; never throws for the provider's answers. The provider must have `tenants`.
 */
export async function listTenants(
  { outbound }: { readonly outbound: Outbound },
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Promise<TenantList> {
  const { tenants: file } = provider;
  const first = file && credentialedMessage(provider, file.request, values);
  if (file === undefined || first === undefined) return { ok: false, kind: 'unavailable' };
  const found = new Map<string, Tenant>();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const limits = { timeoutMs: PAGE_TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal };
  const readElement = createElementReader(provider, file);
  const secrets = secretsIn(provider, values);
  let page: TenantsPage | undefined = { number: 0, url: first.url };
  try {
    while (page !== undefined) {
      const answer = await outbound.request({ ...first, url: page.url, ...limits });
      const content = readAnswer(answer, secrets);
      if (!content.ok) return content;
      const elements = elementsIn(file, content.body);
      if (elements === undefined) return { ok: false, kind: 'unavailable' };
      const countBefore = found.size;
      await readElements(elements, readElement, found);
      const isFull = found.size >= TENANTS_MAX || page.number + 1 >= PAGES_MAX;
      const hasNew = found.size > countBefore || (file.where.length > 0 && elements.length > 0);
      const next = nextTenantsPage(file, page, {
        answer,
        body: content.body,
        count: elements.length,
        hasNew,
      });
      if (isFull) return { ok: true, tenants: [...found.values()], isComplete: next === undefined };
      page = next;
    }
  } catch (error) {
    if (error instanceof OutboundError) return { ok: false, kind: 'unavailable' };
    throw error;
  }
  return { ok: true, tenants: [...found.values()], isComplete: true };
}

type Answer = { readonly ok: true; readonly body: unknown } | Extract<TenantList, { ok: false }>;

/** `unavailable` where the answer is no JSON, or would take long to parse. */
function readAnswer({ status, body }: OutboundResponse, secrets: readonly string[]): Answer {
  if (status === 200) {
    const text = body.toString('utf8');
    const content = isQuickToParse(text) ? parseExactJson(text) : undefined;
    return content === undefined ? { ok: false, kind: 'unavailable' } : { ok: true, body: content };
  }
  const words = wordsOf(body, secrets);
  const found = words === undefined ? {} : { words };
  if (status === 401) return { ok: false, kind: 'credential_refused', ...found };
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { ok: false, kind: isRefusal ? 'list_refused' : 'unavailable', ...found };
}

function wordsOf(body: Buffer, secrets: readonly string[]): string | undefined {
  const text = body.toString('utf8');
  const answer = isQuickToParse(text) ? parseJson(text) : undefined;
  return isRecord(answer) ? readProviderWords(answer, secrets) : undefined;
}

function elementsIn({ items }: TenantsFile, body: unknown): readonly unknown[] | undefined {
  const list = items === undefined ? body : readPath(body, items);
  // A provider that leaves out an empty list has none.
  if (items !== undefined && list === undefined && isRecord(body)) return [];
  return Array.isArray(list) ? list : undefined;
}

/** A long list is read in pieces, between which other work has its turn. */
async function readElements(
  elements: readonly unknown[],
  readElement: (element: unknown) => Tenant | undefined,
  found: Map<string, Tenant>,
): Promise<void> {
  for (const [index, element] of elements.entries()) {
    if (index % BATCH === BATCH - 1) await setImmediate();
    if (found.size >= TENANTS_MAX) return;
    const tenant = readElement(element);
    if (tenant !== undefined && !found.has(tenant.id)) found.set(tenant.id, tenant);
  }
}

/** What makes a tenant of an element of the list; undefined for one that does not count or cannot be called. */
function createElementReader(
  provider: Provider,
  file: TenantsFile,
): (element: unknown) => Tenant | undefined {
  const conditions = file.where.map(createCondition);
  const variables = provider.variables.filter(({ from }) => from === 'tenant');
  return (element) => {
    if (!conditions.every((holds) => holds(element))) return undefined;
    const id = shownText(element, file.id);
    if (id === null) return undefined;
    const found: Record<string, string> = {};
    for (const variable of variables) {
      const value = toFilledText(readPath(element, variable.path)) ?? variable.default;
      const judged = value === undefined ? undefined : validateVariable(variable, value);
      if (judged?.ok) found[variable.name] = judged.value;
      else if (judged !== undefined || provider.apiBaseUrl.includes(`{${variable.name}}`)) return undefined;
    }
    const name = file.name === undefined ? null : shownText(element, file.name);
    const detail = file.detail === undefined ? null : shownText(element, file.detail);
    return { id, name, detail, variables: found };
  };
}

function shownText(element: unknown, paths: string | readonly string[]): string | null {
  // Cutting may have halved a surrogate pair.
  const text = toStorableText(
    (toFilledText(readFirstPath(element, paths)) ?? '').trim().slice(0, TEXT_LENGTH_MAX),
  );
  return text === '' ? null : text;
}

function createCondition({ path, is, not, matches }: TenantsFile['where'][number]) {
  const compiled = matches === undefined ? undefined : compilePattern(matches);
  const fits = (value: string): boolean => {
    if (compiled !== undefined) return compiled.ok && compiled.pattern.matchesAll(value);
    return (is ?? not ?? []).includes(value);
  };
  return (element: unknown): boolean => {
    const values = [readPath(element, path)].flat().flatMap((value) => toFilledText(value) ?? []);
    return values.some(fits) === (not === undefined);
  };
}

/**
 * What a connection on this tenant has. Where the provider's file names no account, the tenant is the account; otherwise
 * the account stays the one given.
 */
export function factsOfTenant(
  { account }: Pick<Provider, 'account'>,
  tenant: Tenant,
  known: { readonly accountId: string | null; readonly accountName: string | null },
) {
  return {
    tenantId: tenant.id,
    tenantName: tenant.name,
    accountId: account === undefined ? tenant.id : known.accountId,
    accountName: account === undefined ? tenant.name : known.accountName,
    variables: tenant.variables,
  };
}

/** The tenant that a connection is on; null: not known. Connections from before tenants were kept have it as their account. */
export function findTenantId(
  { tenantId, accountId }: { readonly tenantId: string | null; readonly accountId: string | null },
  { account, tenants }: Pick<Provider, 'account' | 'tenants'>,
): string | null {
  return tenantId ?? (tenants !== undefined && account === undefined ? accountId : null);
}

/** True for a connection on this tenant. One that was imported shows it by its variables. */
export function isOnTenant(
  connection: Parameters<typeof findTenantId>[0] & { readonly variables: Readonly<Record<string, string>> },
  tenant: Tenant,
  provider: Pick<Provider, 'account' | 'tenants'>,
): boolean {
  if (findTenantId(connection, provider) === tenant.id) return true;
  const found = Object.entries(tenant.variables);
  return found.length > 0 && found.every(([name, value]) => connection.variables[name] === value);
}
