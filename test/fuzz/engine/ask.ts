import type { Answer } from './answers.ts';
import type { RawClient } from './raw-client.ts';

export type Ask = {
  readonly method: string;
  readonly path: string;
  /** Beside `Host` and the length. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
};

/** One well-formed request, whatever its values say; characters are bytes. */
export function ask(
  client: RawClient,
  host: string,
  { method, path, fields = [], body }: Ask,
): Promise<Answer> {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return client.ask(body === undefined ? head : Buffer.concat([head, body]), method);
}

/** As a value of a header field can be sent: other characters end the request, which another target is for. */
export function toFieldValue(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim();
}
