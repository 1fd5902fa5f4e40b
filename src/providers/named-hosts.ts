import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import type { GrantUse } from './custom-providers.store.ts';

/** Addresses that browsers open and the gateway does not call. */
const LINKS: ReadonlySet<string> = new Set([
  'docsUrl',
  'portalUrl',
  'logoUrl',
  'sources',
  'notes',
  'setupSteps',
]);
/** Scheme and host of an address template, with its placeholders: what stands before the path. */
const ORIGIN = /^(?:https?:\/\/[^/?#]*|\{[A-Za-z][A-Za-z0-9_.]*\}[^/?#]*)/i;

/**
 * The origins, as templates, that a description has secrets and tokens sent to, and the variables that decide their
 * hosts. Walks the whole description, so that a new address cannot be forgotten here.
 */
function namedHosts(description: Readonly<Record<string, unknown>>): Set<string> {
  const origins = [...originsIn(description)].map((origin) => origin.toLowerCase());
  const names = origins.flatMap((origin) => [...origin.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const variables = isRecord(description.variables) ? Object.entries(description.variables) : [];
  const deciding = variables
    .filter(([name]) => names.includes(name.toLowerCase()))
    .map(([name, variable]) => `${name} ${JSON.stringify(variable)}`);
  return new Set([...origins, ...deciding]);
}

function* originsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    const [origin] = ORIGIN.exec(value) ?? [];
    if (origin !== undefined) yield origin;
  } else if (Array.isArray(value)) {
    for (const each of value) yield* originsIn(each);
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) if (!LINKS.has(name)) yield* originsIn(member);
  }
}

/** True where the description has something sent to a host that it did not name before. */
function namesNewHost(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  const known = namedHosts(before);
  return [...namedHosts(after)].some((host) => !known.has(host));
}

/**
 * Client secrets and tokens go where the description says: a key, which programs hold, must not lead those of a provider
 * in use elsewhere. Throws `forbidden_principal`.
 */
export function assertMayMove(
  principal: Principal,
  { before, after }: Readonly<Record<'before' | 'after', Readonly<Record<string, unknown>>>>,
  uses: readonly GrantUse[],
): void {
  const isInUse = uses.some(({ count }) => count > 0);
  if (principal.kind === 'operator' || !isInUse || !namesNewHost(before, after)) return;
  throw new HttpError('forbidden_principal', {
    detail:
      'Integrations use this provider, and the change has their secrets and tokens sent to another host: an owner or admin of the project may make it, in the dashboard or with a personal access token.',
  });
}
