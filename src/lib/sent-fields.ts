/** Fields that belong to the connection that a message travels on (RFC 9110 7.6.1), or say what it is and where to. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** True for a field that the gateway alone sets on its messages: a given one would make another message of it. */
export function isMessageField(name: string): boolean {
  return MESSAGE_FIELDS.has(name.toLowerCase());
}

/** Why a header field may not be sent as it is given; undefined where it may. */
export function explainFieldFault(name: string, value: string): string | undefined {
  if (isMessageField(name)) return 'is a header field that the gateway sets';
  // RFC 9110 5.5; bytes beyond ASCII would arrive as something else.
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'may hold printable ASCII characters only';
}
