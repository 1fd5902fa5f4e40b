import type { PollRequest } from '../../catalog/schema/provider-polls.schema.ts';
import { isRecord } from '../../lib/is-record.ts';
import { fillTemplate } from '../../lib/template.ts';

/** What templates are filled with; what is undefined is not known. */
export type PollValues = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A request below the API's base, without credentials. */
export type FilledRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Empty, or with its question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

const WHOLE = /^\{([A-Za-z][A-Za-z0-9_.]*)\}$/;
const UNSENDABLE = /[^\t\x20-\x7e]/;

/**
 * Fills a request. A parameter, a header or a member of the body that names an unknown value is left out. Undefined
 * where the path does.
 */
export function fillRequest(request: PollRequest, values: PollValues): FilledRequest | undefined {
  const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, formatValue(value)]));
  const path = fillTemplate(request.path, texts, encodeURIComponent);
  if (path === undefined) return undefined;
  const query = Object.entries(request.query).flatMap(([name, template]) => {
    const value = fillTemplate(template, texts);
    return value === undefined ? [] : [`${encodeName(name)}=${encodeURIComponent(value)}`];
  });
  const headers = Object.entries(request.headers).flatMap(([name, template]) => {
    const value = fillTemplate(template, texts);
    return value === undefined || UNSENDABLE.test(value) ? [] : [[name, value] as const];
  });
  const body = request.body && JSON.stringify(fillBody(request.body, values, texts));
  return {
    method: request.method,
    path,
    query: query.length === 0 ? '' : `?${query.join('&')}`,
    headers: Object.fromEntries(headers),
    body,
  };
}

/** Brackets and dollars stay readable: some providers compare the names of parameters byte by byte. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('%24', '$').replaceAll('%5B', '[').replaceAll('%5D', ']');
}

function formatValue(value: PollValues[string]): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' ? value.join(',') : String(value);
}

const LEFT_OUT = Symbol('left out');

function fillBody(
  template: unknown,
  values: PollValues,
  texts: Readonly<Record<string, string | undefined>>,
): unknown {
  if (typeof template === 'string') {
    const whole = WHOLE.exec(template)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole] ?? LEFT_OUT;
    return fillTemplate(template, texts) ?? LEFT_OUT;
  }
  if (Array.isArray(template)) {
    return template.map((item) => fillBody(item, values, texts)).filter((item) => item !== LEFT_OUT);
  }
  if (!isRecord(template)) return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, item]): [string, unknown] => [name, fillBody(item, values, texts)])
      .filter(([, item]) => item !== LEFT_OUT),
  );
}
