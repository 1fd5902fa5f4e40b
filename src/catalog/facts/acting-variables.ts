import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import { isRecord } from '../../lib/is-record.ts';
import { listPlaceholders } from '../../lib/template.ts';
import type { Provider, ProviderFile } from '../schema/provider.schema.ts';
import { sendsUsersToProvider } from './auth-kinds.ts';

/** What of a provider file sends names to the provider. */
type Sending = Pick<
  ProviderFile,
  | 'auth'
  | 'oauth1'
  | 'jwt'
  | 'jwtPerCall'
  | 'clientAssertion'
  | 'login'
  | 'tokenParams'
  | 'tokenRequest'
  | 'apiHeaders'
  | 'apiQuery'
>;

/** Claims that describe or stand beside the subject (RFC 7519 4.1.2, RFC 8693 4.1; Box: `box_sub_type`). */
const SUBJECT_CLAIM = /^(sub|prn|act|may_act|.*_sub(ject)?(_.*)?|sub(ject)?_.*)$/;

/** Fields and parameters that name the user for whom a key acts: `subject`, `x-as-user-email`, `Impersonate-User`, `On-Behalf-Of`. */
const ACTING_FIELD =
  /(^|-)(act-(as|for)|as-(user|member|account)|on-behalf(-of)?|behalf-of|impersonat\w*|run-?as|sudo|delegat\w*|(requested-)?subject(-(id|type|email))?|requested-actor|assume-user)(-|$)/;
/** Fields of API calls that name a person beside a key of the whole account. */
const PERSON_FIELD = /(^|-)user-?(e-?mail|id|name|login|key)$/;

/**
 * Names of the variables that say for whom a key acts: the subject of an assertion (RFC 7523 section 3), and what stands
 * in fields that name a person to act as. None where users sign in at the provider, or where the credential of each call
 * is typed by the user. A subject that is also the issuer, or names the key, is the key's own identity.
 */
export function actingVariables(file: Sending): ReadonlySet<string> {
  if (sendsUsersToProvider(file) || file.auth === 'api-key' || file.auth === 'basic') return new Set();
  const { apiHeaders, apiQuery, tokenParams, tokenRequest, login } = file;
  const named = [
    ...subjectsOf(file),
    ...[tokenParams, tokenRequest.headers].flatMap((fields) => namesUnder(fields, [ACTING_FIELD])),
    ...(login?.steps ?? []).flatMap(({ headers, body }) =>
      namesUnder({ ...headers, ...body }, [ACTING_FIELD]),
    ),
    ...[apiHeaders, apiQuery].flatMap((fields) => namesUnder(fields, [ACTING_FIELD, PERSON_FIELD])),
  ];
  return new Set(named);
}

function subjectsOf({ jwt, jwtPerCall, clientAssertion }: Sending): string[] {
  const assertions = [
    jwt && { claims: jwt.claims, own: [jwt.claims.iss, jwt.header.kid] },
    jwtPerCall && { claims: jwtPerCall.claims, own: [jwtPerCall.claims.iss, jwtPerCall.header.kid] },
    clientAssertion && {
      claims: { sub: clientAssertion.subject },
      own: [clientAssertion.issuer, clientAssertion.keyId],
    },
  ];
  return assertions.flatMap((assertion) => {
    if (assertion === undefined) return [];
    const own = new Set(listTexts(assertion.own).flatMap(listCallTemplateNames));
    const claims = Object.entries(assertion.claims).filter(([claim]) => SUBJECT_CLAIM.test(claim));
    return listTexts(claims.map(([, value]) => value))
      .flatMap(listCallTemplateNames)
      .filter((name) => !own.has(name));
  });
}

/** Names in the values of fields whose name fits, at any depth. */
function namesUnder(fields: unknown, patterns: readonly RegExp[]): string[] {
  if (Array.isArray(fields)) return fields.flatMap((item) => namesUnder(item, patterns));
  if (!isRecord(fields)) return [];
  return Object.entries(fields).flatMap(([field, value]) => {
    const isActing = patterns.some((pattern) => pattern.test(inKebabCase(field)));
    return isActing ? listTexts(value).flatMap(listCallTemplateNames) : namesUnder(value, patterns);
  });
}

/** `asUserEmail`, `As_User_Email` and `AS-USER-EMAIL` as `as-user-email`. */
function inKebabCase(field: string): string {
  return field
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
}

/**
 * True where the end user brings the key by which the grant acts, so that the provider itself decides for whom it may
 * act. `isTyped` says of a secret variable whether the user types it.
 */
export function isUsersOwnKey(
  provider: Pick<Provider, 'auth' | 'variables' | 'jwt' | 'jwtPerCall' | 'login'>,
  isTyped: (name: string) => boolean,
): boolean {
  if (provider.auth === 'api-key' || provider.auth === 'basic') return true;
  const secret = provider.variables.filter((variable) => variable.secret).map(({ name }) => name);
  const keys = namesOfKeys(provider).filter((name) => secret.includes(name));
  const deciding = keys.length > 0 ? keys : secret;
  return deciding.length > 0 && deciding.every(isTyped);
}

/** The variables that hold the key of an assertion; what is in a pasted file belongs to the file. */
function namesOfKeys({ jwt, jwtPerCall }: Pick<Provider, 'jwt' | 'jwtPerCall'>): string[] {
  return [jwt?.key, jwtPerCall?.key]
    .flatMap((template) => (template === undefined ? [] : listPlaceholders(template)))
    .map((name) => name.split('.')[0] ?? name);
}
