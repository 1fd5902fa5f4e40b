import type { Provider } from '../catalog/schema/provider.schema.ts';

type Values = Readonly<Record<string, string>>;

/** What a request carries beside variables and is open to read. */
const OPEN_NAMES = ['clientId', 'scopes', 'redirectUrl', 'tokenUrl'];

/**
 * What no answer of a provider may repeat towards an operator: every value that a request's templates may name but the
 * open variables, and user name and password as HTTP Basic joins them (RFC 7617). Pure.
 */
export function secretsIn(
  { variables }: Pick<Provider, 'variables'>,
  ...values: readonly Values[]
): string[] {
  const open = new Set([...variables.filter(({ secret }) => !secret).map(({ name }) => name), ...OPEN_NAMES]);
  return values.flatMap((given) => {
    const hidden = Object.entries(given).flatMap(([name, value]) => (open.has(name) ? [] : [value]));
    const { username, password } = given;
    const isPair = username !== undefined || password !== undefined;
    return isPair ? [...hidden, `${username ?? ''}:${password ?? ''}`] : hidden;
  });
}
