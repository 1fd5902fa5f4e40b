import { z } from 'zod';
import { explainFieldFault } from '../../lib/sent-fields.ts';

const PLACEHOLDERS_MAX = 20;

const hasFewPlaceholders = (template: string) => template.split('{').length <= PLACEHOLDERS_MAX + 1;
const TOO_MANY_PLACEHOLDERS = `at most ${PLACEHOLDERS_MAX} placeholders`;
/** Said of a pattern: zod's `includes` would stand in JSON Schema as a format, which validators do not know. */
export const NO_PLACEHOLDER = 'must have the placeholder of the credential in braces';

export const urlTemplate = z
  .string()
  .max(2000)
  .regex(
    /^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})(?:[^\s$[\]<>"\\#]|\$(?!\{))*$/,
    'must be an http(s) URL without a fragment',
  )
  .refine(hasFewPlaceholders, TOO_MANY_PLACEHOLDERS);
/** What paths follow: a query would stand before them, and be lost. */
export const baseUrlTemplate = urlTemplate.refine(
  (url) => !url.includes('?'),
  'must have no query: paths follow it',
);

/** An authorization page may be a route after `#` (Apollo's is); its query then follows the fragment. */
export const pageTemplate = z
  .string()
  .max(2000)
  .regex(/^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})[^\s$[\]<>"\\]*$/, 'must be an http(s) URL')
  .refine(hasFewPlaceholders, TOO_MANY_PLACEHOLDERS);
const FIELDS_MAX = 100;
const hasFewFields = (fields: Readonly<Record<string, string>>) => Object.keys(fields).length <= FIELDS_MAX;
const TOO_MANY_FIELDS = `at most ${FIELDS_MAX}`;

/** Values are templates over the variables, `{clientId}`, and `{nonce}` in an authorization request. */
export const parameters = z
  .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/), z.string().min(1))
  .refine(hasFewFields, TOO_MANY_FIELDS);
/** Name of a field that is read. What the gateway sends has `sentHeaders` or `sentHeader`. */
export const headerName = z.string().regex(/^[A-Za-z0-9-]+$/);

type Context = { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void };

/** Adds an issue where a header field may not be sent as it is given. */
export function refuseSentField(name: string, value: string, context: Context): void {
  const message = explainFieldFault(name, value);
  if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
}

/** Header fields that are sent, by name, with values of this schema. */
export const sentHeaders = <Value extends z.ZodType<string>>(value: Value) =>
  z
    .record(headerName, value)
    .refine(hasFewFields, TOO_MANY_FIELDS)
    .superRefine((fields, context) => {
      for (const [name, text] of Object.entries(fields)) refuseSentField(name, text, context);
    });

/** One header field that is sent: the object's `name`, and its `template` where it has one. */
export const sentHeader = <Field extends z.ZodType<{ readonly name: string; readonly template?: string }>>(
  field: Field,
) =>
  field.superRefine(({ name, template = '' }, context) => {
    refuseSentField(name, template, context);
  });
/**
 * `members.0.name` in a JSON answer; `accounts[is_default=true].base_uri` takes the first element of a list whose member
 * has that value.
 */
export const dottedPath = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]+(\[[A-Za-z0-9_-]+=[A-Za-z0-9_-]+\])?(\.[A-Za-z0-9_-]+(\[[A-Za-z0-9_-]+=[A-Za-z0-9_-]+\])?)*$/,
  );
export const parameterName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/);

/** `tls_client_auth` (RFC 8705): the certificate of the connection authenticates the client, and no secret is sent. */
export const TOKEN_ENDPOINT_AUTH = [
  'client_secret_post',
  'client_secret_basic',
  'none',
  'tls_client_auth',
] as const;

/** True where the client sends its id alone, having no secret. */
export function isSecretless(method: (typeof TOKEN_ENDPOINT_AUTH)[number]): boolean {
  return method === 'none' || method === 'tls_client_auth';
}
