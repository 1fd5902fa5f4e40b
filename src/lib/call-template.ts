import { fillTemplate, listPlaceholders } from './template.ts';

/**
 * `{base64(a:b)}` or `{base64({a}:{b})}`; `{now}`, `{now+540}` in seconds and `{now:ms}`, `{now:iso}`, `{now:date}`;
 * `{name}`.
 */
const PART =
  /\{base64\(([^()]{1,300})\)\}|\{now(?:([+-])(\d{1,9}))?(?::(ms|iso|date))?\}|\{([A-Za-z][A-Za-z0-9_.]*)\}/g;

/** Where the values of a template come from. */
export type TemplateSource = {
  /** The value of a name; undefined where it is not known. */
  lookUp(name: string): string | undefined;
  readonly nowMs: number;
};

/** Names that a template of a call takes, each once; what the template language itself fills in is none. */
export function listCallTemplateNames(template: string): string[] {
  const names = [...template.matchAll(PART)].flatMap(([, encoded, , , , name]) => {
    if (encoded !== undefined) return listPlaceholders(bracePlaceholders(encoded));
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)];
}

/** Fills a template; undefined where one of its names has no value. */
export function fillCallTemplate(template: string, { lookUp, nowMs }: TemplateSource): string | undefined {
  let isMissing = false;
  const known = (value: string | undefined): string => {
    if (value === undefined) isMissing = true;
    return value ?? '';
  };
  const filled = template.replace(PART, (_whole, ...parts: (string | undefined)[]) => {
    const [encoded, sign, seconds, format, name] = parts;
    if (encoded !== undefined)
      return Buffer.from(known(fillPlain(bracePlaceholders(encoded), lookUp))).toString('base64');
    if (name !== undefined) return known(lookUp(name));
    const shiftMs = Number(`${sign ?? ''}${seconds ?? '0'}`) * 1000;
    return formatTimestamp(nowMs + shiftMs, format);
  });
  return isMissing ? undefined : filled;
}

function fillPlain(template: string, lookUp: TemplateSource['lookUp']): string | undefined {
  const values = listPlaceholders(template).map((name) => [name, lookUp(name)] as const);
  return fillTemplate(template, Object.fromEntries(values));
}

/** `a:b` as `{a}:{b}`. */
function bracePlaceholders(encoded: string): string {
  if (encoded.includes('{')) return encoded;
  return encoded
    .split(':')
    .map((name) => `{${name}}`)
    .join(':');
}

function formatTimestamp(ms: number, format: string | undefined): string {
  if (format === 'ms') return String(ms);
  if (format === undefined) return String(Math.floor(ms / 1000));
  const iso = new Date(ms).toISOString();
  return format === 'date' ? iso.slice(0, 10) : iso;
}

/** A JSON value with every text in it filled; members with an unknown name are left out, at any depth. */
export function fillJsonTemplate(value: unknown, source: TemplateSource): unknown {
  if (typeof value === 'string') return fillCallTemplate(value, source);
  if (Array.isArray(value)) {
    return value.map((item) => fillJsonTemplate(item, source)).filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, item]) => [name, fillJsonTemplate(item, source)] as const,
  );
  return Object.fromEntries(members.filter(([, item]) => item !== undefined));
}

/** Every text of a JSON value. */
export function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}
