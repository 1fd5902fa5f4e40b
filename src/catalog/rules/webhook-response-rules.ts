/**
 * Fields that handshakes of providers want in the response, in lower case. A response of the receiver goes out on an origin
 * of the gateway, so a field passes by its name alone, and none of these means anything to a browser or a server in front.
 */
export const WEBHOOK_RESPONSE_FIELDS: ReadonlySet<string> = new Set([
  'smartsheet-hook-response',
  'validation-token',
  'x-adobesign-clientid',
  'x-hook-secret',
]);

/** Content types that a project's own description may answer with: no browser makes a page of them. */
const PLAIN_TYPES = ['text/plain', 'application/json'];
/** What an operator's file may say besides; Salesforce takes a SOAP message alone for an acknowledgement. */
const FILE_TYPES = [...PLAIN_TYPES, 'text/xml'];

/** True for a field that a response to a webhook may have. */
export function isResponseField(name: string): boolean {
  return WEBHOOK_RESPONSE_FIELDS.has(name.toLowerCase());
}

/**
 * The content type as the response to a webhook may have it, without parameters; undefined where it may not. `isOwn`: the
 * description is a project's own, not a file of the operator's.
 */
export function readResponseType(given: string, isOwn: boolean): string | undefined {
  const type = (given.split(';')[0] ?? '').trim().toLowerCase();
  return (isOwn ? PLAIN_TYPES : FILE_TYPES).includes(type) ? type : undefined;
}

/** The types that a project's own description may name, for the words of a refusal. */
export const OWN_RESPONSE_TYPES = PLAIN_TYPES.join(' or ');
