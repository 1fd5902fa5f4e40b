import { HttpError } from '../http/errors.ts';
import { foldFieldName } from '../lib/field-name.ts';
import type { ResolvedConnection } from './contract.ts';
import type { FieldList } from './field-list.ts';
import type { ProxyTarget } from './target.ts';

const DETAIL = 'Whom the key of the integration acts for is what the application has said of the connection.';
const MESSAGE = 'is set by the gateway: leave it out';

/**
 * Refuses a call that says the integration's key acts for another person or tenant than the application has said (`from:
 * application`). Of all other fields of a provider's description the caller's own value wins. Throws `invalid_request`.
 */
export function assertApplicationFields(
  { applicationFields: said }: Pick<ResolvedConnection, 'applicationFields'>,
  forward: FieldList,
  { rawQuery }: Pick<ProxyTarget, 'rawQuery'>,
): void {
  if (said === undefined) return;
  for (let index = 0; index + 1 < forward.length; index += 2)
    compare('headers', said.headers, foldFieldName(forward[index] ?? ''), forward[index + 1] ?? '');
  if (said.query.size === 0) return;
  for (const pair of rawQuery.slice(1).split(/[&;]/)) {
    const [name = '', ...value] = pair.split('=');
    const [plain = ''] = decode(name).split('[', 1);
    compare('query', said.query, plain.trim().toLowerCase(), decode(value.join('=')));
  }
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function compare(
  part: 'headers' | 'query',
  said: ReadonlyMap<string, string | undefined>,
  name: string,
  value: string,
): void {
  if (!said.has(name) || said.get(name) === value) return;
  throw new HttpError('invalid_request', {
    detail: DETAIL,
    errors: [{ path: `${part}.${name}`, message: MESSAGE }],
  });
}
