const MIB = 1024 * 1024;

/** Bodies of 5 MiB that are made to be slow. */
export const HEAVY: readonly {
  readonly name: string;
  readonly id: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}[] = [
  { name: 'brackets that open only', id: 'hubspot', body: Buffer.alloc(5 * MIB, '[') },
  {
    name: 'brackets in balance',
    id: 'hubspot',
    body: Buffer.from('['.repeat(2.5 * MIB) + ']'.repeat(2.5 * MIB)),
  },
  { name: 'quotes and backslashes', id: 'hubspot', body: Buffer.from(`["${'\\\\'.repeat(2.4 * MIB)}"]`) },
  {
    name: 'as many values as are parsed',
    id: 'hubspot',
    body: Buffer.from(`[{"a":[${'12345678901234567890123456789012,'.repeat(149_000)}1]}]`),
  },
  { name: 'small numbers', id: 'hubspot', body: Buffer.from(`[${'1,'.repeat(2.4 * MIB)}1]`) },
  {
    name: 'members of one object',
    id: 'stripe',
    body: Buffer.from(`{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`),
  },
  {
    name: 'objects in a list that is no event list',
    id: 'stripe',
    body: Buffer.from(`{"a":[${'{"b":1},'.repeat(0.6 * MIB)}{}]}`),
  },
  {
    name: 'parameters of a form',
    id: 'mailchimp',
    body: Buffer.alloc(5 * MIB, 'a&'),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  {
    name: 'one string of escapes',
    id: 'hubspot',
    body: Buffer.from(`[{"a":"${'\\u0041'.repeat(0.8 * MIB)}"}]`),
  },
  { name: 'tags that never close', id: 'salesforce', body: Buffer.alloc(5 * MIB, '<Notification>') },
  {
    name: 'elements that lack what their document repeats',
    id: 'salesforce',
    body: Buffer.alloc(5 * MIB, `<Notification></Notification>${'Id'.repeat(20)}`),
  },
  {
    name: 'names within one tag',
    id: 'salesforce',
    body: Buffer.from(`${'<Notification '.repeat(0.35 * MIB)}/>`),
  },
  {
    name: 'boundaries',
    id: 'dropbox-sign',
    body: Buffer.alloc(5 * MIB, '--b\r\n'),
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  },
  {
    name: 'a batch of 100 events',
    id: 'hubspot',
    body: Buffer.from(
      JSON.stringify(
        Array.from({ length: 100 }, () => ({
          subscriptionType: 'contact.creation',
          objectId: 1,
          text: 'x'.repeat(50_000),
        })),
      ),
    ),
  },
];
