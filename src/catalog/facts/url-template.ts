import { listPlaceholders } from '../../lib/template.ts';
import type { VariablePosition } from '../schema/provider.schema.ts';

/** From the most sensitive position to the least. */
const SENSITIVITY: readonly VariablePosition[] = [
  'host-label',
  'host-ending',
  'port',
  'host',
  'origin',
  'path',
  'elsewhere',
];

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_\\-]{0,61}[A-Za-z0-9_])?';
const LABELS = `${LABEL}(?:\\.${LABEL})*`;
const PORT = '(?::[0-9]{1,5})?';
const PATH = '(?!.*\\/\\.{1,2}(?:\\/|$))(?:\\/[A-Za-z0-9._~\\-]+)*';
const DOT = '(?:\\.|%2[Ee])';
/** No backslash and no dot segment, plain or encoded: servers that decode first would read another path. */
const NO_CLIMBING = `(?![\\s\\S]*(?:\\\\|%5[Cc]))(?!(?:[\\s\\S]*(?:\\/|%2[Ff]))?${DOT}{1,2}(?:[\\/;]|%2[Ff]|%3[Bb]|$))`;
/** A name in the public DNS: at least two labels, and a last one that no address notation can imitate. */
const PUBLIC_HOST = `${LABEL}(?:\\.${LABEL})*\\.[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?`;

/** `https://{shop}.example.com:{port}/x` taken apart; undefined where it is no address with a plain host. */
type TemplateParts = { readonly host: string; readonly port: string; readonly rest: string };

function partsOf(template: string): TemplateParts | undefined {
  const [, host, port, rest] = /^https?:\/\/([^/?:@]+)(?::([^/?:@]+))?([/?].*)?$/.exec(template) ?? [];
  return host === undefined ? undefined : { host, port: port ?? '', rest: rest ?? '' };
}

/** Name of the variable that a template starts with and that stands for scheme and host; undefined if there is none. */
export function findOriginVariable(template: string): string | undefined {
  return /^\{([A-Za-z][A-Za-z0-9_.]*)\}(?=[/?]|$)/.exec(template)?.[1];
}

/** True for a template whose shape is an http(s) address or starts with an origin variable; userinfo is refused. */
export function isAddressTemplate(template: string): boolean {
  return findOriginVariable(template) !== undefined || partsOf(template) !== undefined;
}

/** Position of every placeholder of one URL template. */
export function positionsIn(template: string): ReadonlyMap<string, VariablePosition> {
  const origin = findOriginVariable(template);
  const parts = origin === undefined ? partsOf(template) : undefined;
  const positions = new Map<string, VariablePosition>();
  for (const name of listPlaceholders(template)) positions.set(name, 'elsewhere');
  for (const name of listPlaceholders(pathOf(template))) positions.set(name, 'path');
  if (origin !== undefined) positions.set(origin, 'origin');
  if (parts === undefined) return positions;
  for (const name of listPlaceholders(parts.port)) positions.set(name, 'port');
  const inHost = listPlaceholders(parts.host);
  for (const name of inHost) positions.set(name, 'host-label');
  const last = inHost.at(-1);
  if (last !== undefined) positions.set(last, positionOfLast(parts.host, last));
  return positions;
}

/** What stands between the host, or the variable for it, and a query or a fragment. */
function pathOf(template: string): string {
  return /^(?:https?:\/\/|\{[^{}]*\})[^/?#]*([^?#]*)/.exec(template)?.[1] ?? '';
}

/** Only the last placeholder of a host can decide whose host it is, and only if no domain of the provider follows. */
function positionOfLast(host: string, name: string): VariablePosition {
  const start = host.lastIndexOf(`{${name}}`);
  const before = host.slice(0, start);
  const after = host.slice(start + name.length + 2);
  if (/^[a-z0-9-]*(\.[a-z0-9-]+){2,}$/i.test(after)) return 'host-label';
  // Names that no registry sells (RFC 6761, RFC 9476): a fixed one of them is as good as a domain.
  if (/^\.(localhost|test|internal|local)$/i.test(after)) return 'host-label';
  if (after === '' && /^([a-z0-9-]+\.){2,}$/i.test(before)) return 'host-ending';
  return 'host';
}

/** The most sensitive of several positions of one variable. */
export function pickMostSensitive(positions: readonly VariablePosition[]): VariablePosition {
  return SENSITIVITY.find((position) => positions.includes(position)) ?? 'elsewhere';
}

/**
 * What a position demands of a value, whatever the file says, so that no value reaches a host other than the one that
 * the template promises: the source of an anchored regular expression.
 */
export function shapeFor(
  position: VariablePosition,
  own: string | undefined,
  options: { readonly allowPrivateNetworks: boolean },
): string {
  return `^(?:${baseFor(position, own !== undefined, options.allowPrivateNetworks)})$`;
}

/** The shape of a position and the file's own pattern in one, to be shown. */
export function combinePatterns(shape: string, own: string | undefined): string {
  return own === undefined ? shape : `^(?=(?:${own})$)${shape.slice(1)}`;
}

function baseFor(position: VariablePosition, hasOwn: boolean, allowPrivateNetworks: boolean): string {
  const host = allowPrivateNetworks ? LABELS : PUBLIC_HOST;
  switch (position) {
    case 'origin':
      return `${allowPrivateNetworks ? 'https?' : 'https'}:\\/\\/${host}${PORT}${PATH}`;
    case 'host':
      return `${host}${PORT}`;
    case 'host-ending':
      // Without a list from the file only endings like com, eu or com.au: never a name that an attacker could register.
      return hasOwn ? LABELS : '[A-Za-z]{2,3}(?:\\.[A-Za-z]{2,3})?';
    case 'host-label':
      return LABELS;
    case 'port':
      return '[0-9]{1,5}';
    case 'path':
      return `${NO_CLIMBING}[^\\u0000-\\u001f\\u007f]{1,2000}`;
    case 'elsewhere':
      return '(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f]{1,2000}';
  }
}
