import { isStorableText } from '../../lib/storable-text.ts';
import { fillTemplate, listPlaceholders } from '../../lib/template.ts';
import { stripTrailingSlashes } from '../../lib/trailing-slashes.ts';
import type { Provider, ProviderVariable, VariablePosition } from '../schema/provider.schema.ts';
import { tidyPastedValue } from './pasted-values.ts';
import { type CompiledPattern, compilePattern } from './pattern.ts';
import { findOriginVariable, positionsIn, shapeFor } from './url-template.ts';

/** Longer ones are not even looked at. */
const VALUE_LENGTH_MAX = 2000;

type VariableJudgement =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

export type ResolvedUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly variable: string; readonly message: string };

/** Known of every integration, so that no file has to declare it. The loader keeps it out of hosts. */
function clientIdAt(position: 'path' | 'elsewhere'): ProviderVariable {
  return {
    name: 'clientId',
    path: 'clientId',
    from: 'integration',
    secret: false,
    position,
    ownPattern: undefined,
    shape: shapeFor(position, undefined, { allowPrivateNetworks: false }),
  };
}

const CLIENT_ID_IN_PATH = clientIdAt('path');
const CLIENT_ID_ELSEWHERE = clientIdAt('elsewhere');

/** Compiled patterns, as long as their variable is in use. */
const ownPatterns = new WeakMap<ProviderVariable, CompiledPattern>();
/** One for each position and setting. */
const shapes = new Map<string, RegExp>();

/**
 * Judges one value. The value that comes back is trimmed, and where a host is wanted a pasted `https://` and closing
 * slash are taken off. The message says what is expected, never what was typed (it may be part of a credential).
 */
export function validateVariable(variable: ProviderVariable, value: string): VariableJudgement {
  if (variable.input !== undefined) {
    const pasted = tidyPastedValue(variable, value);
    return pasted === undefined ? refuse(variable) : { ok: true, value: pasted };
  }
  if (value.length > VALUE_LENGTH_MAX) return refuse(variable);
  const tidy = tidyValue(variable, value);
  if (tidy === '' || !isStorableText(tidy)) return refuse(variable);
  if (variable.options !== undefined) {
    const isOption = variable.options.some((option) => option.value === tidy);
    return isOption ? { ok: true, value: tidy } : refuse(variable);
  }
  const isShaped = shapeOf(variable).test(tidy) && isAsWritten(PLACES[variable.position](tidy));
  if (!isShaped) return refuse(variable);
  const unusable = explainUnusable(variable, tidy);
  if (unusable !== undefined) return { ok: false, message: unusable };
  if (variable.ownPattern === undefined) return { ok: true, value: tidy };
  const own = ownPatternOf(variable, variable.ownPattern);
  if (!own.ok) return refuseUnjudged(variable, own.reason);
  return own.pattern.matchesAll(tidy) ? { ok: true, value: tidy } : refuse(variable);
}

const unusablePatterns = new WeakMap<object, ReturnType<typeof compilePattern>>();

/** Why a value cannot work although it has the right form; undefined where nothing says so. */
function explainUnusable(
  { title, name, unusable = [] }: ProviderVariable,
  value: string,
): string | undefined {
  const found = unusable.find((rule) => {
    const compiled = unusablePatterns.get(rule) ?? compilePattern(rule.pattern);
    unusablePatterns.set(rule, compiled);
    return compiled.ok && compiled.pattern.matchesAll(value.toLowerCase());
  });
  return found === undefined ? undefined : `${title ?? name} cannot be used: ${found.message}`;
}

/** An address with the value at its position: what no pattern can say (which port there is) shows in it. */
const PLACES: Readonly<Record<VariablePosition, (value: string) => string>> = {
  origin: (value) => value,
  host: (value) => `https://${value}`,
  'host-ending': (value) => `https://acme.${value}`,
  'host-label': (value) => `https://${value}.acme.example`,
  port: (value) => `https://acme.example:${value}`,
  path: (value) => `https://acme.example/${encode(value)}`,
  elsewhere: () => 'https://acme.example',
};

function tidyValue(variable: ProviderVariable, value: string): string {
  const trimmed = value.trim();
  if (variable.position === 'origin') return stripTrailingSlashes(trimmed);
  if (variable.position === 'host') return stripTrailingSlashes(trimmed.replace(/^https?:\/\//i, ''));
  return trimmed;
}

function refuse(variable: ProviderVariable): VariableJudgement {
  const { title, name, description, example, options } = variable;
  const hint = options ? `one of ${options.map(({ value }) => value).join(', ')}` : description;
  const sample = example === undefined ? '' : `, for example ${example}`;
  return { ok: false, message: `${title ?? name} is not valid${hint ? `: ${hint}` : ''}${sample}` };
}

/** For a description that was stored before patterns had to be of this syntax. */
function refuseUnjudged({ title, name }: ProviderVariable, reason: string): VariableJudgement {
  const message = `${title ?? name} cannot be judged: its pattern in the provider's description ${reason}`;
  return { ok: false, message };
}

function shapeOf({ shape }: ProviderVariable): RegExp {
  const held = shapes.get(shape);
  if (held !== undefined) return held;
  const made = new RegExp(shape);
  shapes.set(shape, made);
  return made;
}

function ownPatternOf(variable: ProviderVariable, text: string): CompiledPattern {
  const held = ownPatterns.get(variable);
  if (held !== undefined) return held;
  const compiled = compilePattern(text);
  ownPatterns.set(variable, compiled);
  return compiled;
}

/** Sets apart the variables that are part of a credential and must not stand in plain. */
export function splitSecretVariables(
  provider: Pick<Provider, 'variables'>,
  variables: Readonly<Record<string, string>>,
) {
  const secretNames = provider.variables.filter(({ secret }) => secret).map(({ name }) => name);
  const parted = (isWanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => isWanted(name)));
  return {
    open: parted((name) => !secretNames.includes(name)),
    secret: parted((name) => secretNames.includes(name)),
  };
}

/** Judges the value of a variable by its name; a second time it answers what it answered before. */
type ValidateValue = (name: string, template: string) => VariableJudgement;

/** For several URLs over the same values, so that each value is judged once. */
export function createValueValidator(
  provider: Pick<Provider, 'variables'>,
  values: Readonly<Record<string, string>>,
): ValidateValue {
  const judged = new Map<string, VariableJudgement>();
  return (name, template) => {
    const variable = variableNamed(name, provider, template);
    const key = `${name} ${variable?.position}`;
    const known = judged.get(key);
    if (known !== undefined) return known;
    const judgement = judgeValue(name, variable, values);
    judged.set(key, judgement);
    return judgement;
  };
}

/**
 * Fills a URL template of the provider. Values are validated and percent-encoded, an origin variable is taken as it
 * is. The answer keeps the template's spelling (no slash is added to a bare origin). Refused with the variable's name
 * where a value is missing, not valid, or would lead to another host or path than the template promises.
 */
export function resolveUrl(
  template: string,
  provider: Pick<Provider, 'variables'>,
  values: Readonly<Record<string, string>>,
  judge: ValidateValue = createValueValidator(provider, values),
): ResolvedUrl {
  const names = listPlaceholders(template);
  if (names.length === 0) return { ok: true, url: template };
  const accepted: Record<string, string> = {};
  for (const name of names) {
    const judged = judge(name, template);
    if (!judged.ok) return { ok: false, variable: name, message: judged.message };
    accepted[name] = judged.value;
  }
  const url = fill(template, accepted);
  if (url !== undefined && isAsWritten(url, template.includes('#'))) return { ok: true, url };
  return {
    ok: false,
    variable: chooseFaultyVariable(template, names, provider),
    message: 'the address would not be the one intended',
  };
}

function variableNamed(
  name: string,
  { variables }: Pick<Provider, 'variables'>,
  template: string,
): ProviderVariable | undefined {
  return variables.find((candidate) => candidate.name === name) ?? clientIdOf(name, template);
}

function judgeValue(
  name: string,
  variable: ProviderVariable | undefined,
  values: Readonly<Record<string, string>>,
): VariableJudgement {
  if (variable === undefined) return { ok: false, message: `${name} is not a variable of this provider` };
  const value = Object.hasOwn(values, name) ? values[name] : variable.default;
  if (value === undefined) return { ok: false, message: `${variable.title ?? name} is not known` };
  return validateVariable(variable, value);
}

function clientIdOf(name: string, template: string): ProviderVariable | undefined {
  if (name !== 'clientId') return undefined;
  return positionsIn(template).get(name) === 'path' ? CLIENT_ID_IN_PATH : CLIENT_ID_ELSEWHERE;
}

function fill(template: string, values: Readonly<Record<string, string>>): string | undefined {
  const origin = findOriginVariable(template);
  if (origin === undefined) return fillTemplate(template, values, encode);
  const rest = fillTemplate(template.slice(origin.length + 2), values, encode);
  return rest === undefined ? undefined : `${values[origin]}${rest}`;
}

/** The colon of a port in a host value stays; elsewhere a colon needs no encoding (RFC 3986 section 3.3). */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':');
}

/** Dot segments between slashes that are encoded, and backslashes: servers that decode first read another path. */
const CLIMBING = /%5c|(?:\/|%2f)\.{1,2}(?=[/;]|%2f|%3b|$)/i;

/** RFC 1035 section 2.3.4, less the bytes that a name has in messages only. */
const HOSTNAME_LENGTH_MAX = 253;

/**
 * True where the WHATWG parser, which decides where a request goes, reads the text as it stands: same host (it turns
 * `0x7f.1` into 127.0.0.1), no userinfo, no dot segments resolved away, no fragment but the template's own. Nor may the
 * server read it otherwise.
 */
function isAsWritten(text: string, hasFragment = false): boolean {
  const [, authority, path] = /^https?:\/\/([^/?#]*)([^?#]*)/i.exec(text) ?? [];
  const parsed = URL.parse(text);
  if (parsed === null || authority === undefined || CLIMBING.test(path ?? '')) return false;
  const host = authority.toLowerCase().replace(parsed.protocol === 'https:' ? /:443$/ : /:80$/, '');
  return (
    parsed.username === '' &&
    parsed.host === host &&
    parsed.hostname.length <= HOSTNAME_LENGTH_MAX &&
    parsed.pathname === (path || '/') &&
    (hasFragment || parsed.hash === '')
  );
}

/** Of values that do not fit together, one that an end user gave rather than one that the operator gave before. */
function chooseFaultyVariable(
  template: string,
  names: readonly string[],
  { variables }: Pick<Provider, 'variables'>,
): string {
  const positions = positionsIn(template);
  const placed = names.filter((name) => positions.get(name) !== 'elsewhere');
  const isFrom = (name: string, user: boolean) =>
    variables.some((variable) => variable.name === name && (variable.from === 'user') === user);
  const blamed = placed.find((name) => isFrom(name, true)) ?? placed.find((name) => isFrom(name, false));
  return blamed ?? placed[0] ?? names[0] ?? '';
}
