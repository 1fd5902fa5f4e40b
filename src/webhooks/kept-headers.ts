import type { KeptHeaders } from './receipt.ts';
import type { WebhookDescription } from './webhook.ts';

/** Characters of a signature that are kept: enough to compare two, too few to use one. */
const SHOWN_LENGTH = 10;
/** Fields that may hold a password or a token as such. */
const CREDENTIAL =
  /auth(?!ors?(?:$|[-_]))|cookie|token|secret|(?:api|access|shared|private)[-_]?key|^key$|passw|^pwd$|credential/i;
/** Fields, and parameters of the query, that hold what was computed with a secret. */
const SIGNATURE = /sign|(?:^|[-_])sig(?:$|[-_])|hmac|digest|jwt|assertion/i;
const LEFT_OUT = '(left out)';

/** The fields of a webhook as they may be shown: credentials left out, signatures cut. */
export function keepHeaders(
  headers: ReadonlyMap<string, readonly string[]>,
  description: Pick<WebhookDescription, 'signature'>,
): KeptHeaders {
  const secretNames = placesOf(description, 'header');
  return Object.fromEntries(
    [...headers].map(([name, values]) => {
      const hide = hidingOf(name, description, secretNames);
      return [name, values.map(hide)];
    }),
  );
}

/** The query likewise. */
export function keepQuery(query: string, description: Pick<WebhookDescription, 'signature'>): string {
  const secretNames = placesOf(description, 'query');
  return query
    .split('&')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      if (rest.length === 0) return pair;
      return `${name}=${hidingOf(decodeName(name), description, secretNames)(rest.join('='))}`;
    })
    .join('&');
}

/** Where the description has the provider put a secret or a signature, in lower case. */
function placesOf({ signature }: Pick<WebhookDescription, 'signature'>, kind: 'header' | 'query') {
  const places = [
    'at' in signature ? signature.at : '',
    ...('alsoAt' in signature ? (signature.alsoAt ?? []) : []),
  ];
  const prefix = `${kind}:`;
  return new Set(
    places
      .filter((place) => place.startsWith(prefix))
      .map((place) => place.slice(prefix.length).toLowerCase()),
  );
}

/** A name as its reader takes it: `%74oken` is `token`. */
function decodeName(name: string): string {
  return new URLSearchParams(`${name}=`).keys().next().value ?? name;
}

function hidingOf(
  name: string,
  { signature }: Pick<WebhookDescription, 'signature'>,
  secretNames: ReadonlySet<string>,
): (value: string) => string {
  const isNamed = secretNames.has(name.toLowerCase());
  const isPlain = signature.scheme === 'token' || signature.scheme === 'basic' || signature.scheme === 'jwt';
  if (CREDENTIAL.test(name) || (isNamed && isPlain)) return () => LEFT_OUT;
  if (isNamed || SIGNATURE.test(name)) return cut;
  return (value) => value;
}

function cut(value: string): string {
  return value.length <= SHOWN_LENGTH ? LEFT_OUT : `${value.slice(0, SHOWN_LENGTH)}…`;
}
