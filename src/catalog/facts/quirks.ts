import { createHash } from 'node:crypto';

/** What a hook may look at: the delivery and the parameters of its form. */
type SignedDelivery = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly query: string;
    readonly headers: ReadonlyMap<string, readonly string[]>;
    readonly body: Buffer;
  };
  readonly form: () => readonly (readonly [name: string, value: string])[] | undefined;
  /** The elements of the signature's header, where it holds a list. */
  readonly elements: readonly string[];
};

/** Signed texts that one provider alone composes. A part `{hook:name}` stands for its text; undefined: it cannot be made. */
export const SIGNED_PART_HOOKS: Readonly<Record<string, (delivery: SignedDelivery) => string | undefined>> = {
  /**
   * Twilio signs sorted parameters of a form, and of JSON only the address, in which the body's SHA-256 stands.
   * https://www.twilio.com/docs/usage/webhooks/webhooks-security
   */
  formOrBodySha256: ({ request, form }) => {
    if (request.body.length === 0) return '';
    const isForm = (request.headers.get('content-type')?.[0] ?? '').startsWith(
      'application/x-www-form-urlencoded',
    );
    if (isForm) return joinSortedForm(form());
    const expected = new URLSearchParams(request.query).get('bodySHA256');
    return expected === createHash('sha256').update(request.body).digest('hex') ? '' : undefined;
  },
  /**
   * FreshBooks signs the form as Python writes it in JSON, every value a text.
   * https://www.freshbooks.com/api/webhooks
   */
  formAsPythonJson: ({ form }) => {
    const members = form()?.map(([name, value]) => `${pythonText(name)}: ${pythonText(value)}`);
    return members === undefined ? undefined : `{${members.join(', ')}}`;
  },
  /**
   * Contentful signs method, path, the headers that it names and the body, a line each.
   * https://www.contentful.com/developers/docs/webhooks/request-verification/
   */
  canonicalRequestHead: ({ request }) => {
    const names = request.headers.get('x-contentful-signed-headers')?.[0]?.split(',');
    if (names === undefined || names.length > HEADERS_SIGNED_MAX) return undefined;
    if (!names.some((name) => name.trim().toLowerCase() === 'x-contentful-timestamp')) return undefined;
    const headers = names.map((name) => headerLine(request.headers, name.trim().toLowerCase()));
    if (headers.includes(undefined)) return undefined;
    const path = `${new URL(request.url).pathname}${request.query === '' ? '' : `?${request.query}`}`;
    return `${request.method}\n${path}\n${headers.join(';')}\n`;
  },
  /**
   * Hook0, which Coinbase uses, signs the names of some headers and their values, both in the order of `h=`.
   * https://documentation.hook0.com/docs/verifying-webhook-signatures
   */
  namedHeaders: ({ request, elements }) => {
    const listed = elements.find((element) => element.startsWith('h='))?.slice(2);
    const names = listed?.split(' ');
    if (listed === undefined || names === undefined || names.length > HEADERS_SIGNED_MAX) return undefined;
    const values = names.map((name) => request.headers.get(name.toLowerCase())?.join(','));
    return values.includes(undefined) ? undefined : `${listed}.${values.join('.')}`;
  },
};

const HEADERS_SIGNED_MAX = 50;

function headerLine(headers: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  const value = headers.get(name)?.[0];
  return value === undefined ? undefined : `${name}:${value}`;
}

/** Parameters sorted by name, each name followed by its value, without anything between them. */
export function joinSortedForm(form: readonly (readonly [string, string])[] | undefined): string | undefined {
  return form
    ?.toSorted(([left, leftValue], [right, rightValue]) =>
      left === right ? compare(leftValue, rightValue) : compare(left, right),
    )
    .map(([name, value]) => `${name}${value}`)
    .join('');
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Python's json.dumps escapes everything beyond ASCII. */
function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
