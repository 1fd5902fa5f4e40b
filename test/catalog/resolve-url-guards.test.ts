import { resolveUrl, validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import { positionsIn } from '../../src/catalog/facts/url-template.ts';
import type { ProviderVariable, VariablePosition } from '../../src/catalog/schema/provider.schema.ts';

/** A variable whose pattern lets everything pass, so that each guard is alone with what only it can stop. */
function variable(position: VariablePosition, more: Partial<ProviderVariable> = {}): ProviderVariable {
  return {
    name: 'v',
    path: 'v',
    from: 'user',
    secret: false,
    position,
    ownPattern: undefined,
    shape: '^[\\s\\S]*$',
    ...more,
  };
}

const isTaken = (position: VariablePosition, value: string, more?: Partial<ProviderVariable>) =>
  validateVariable(variable(position, more), value).ok;

describe('a value is refused by the guard against', () => {
  it.each<[string, VariablePosition, string]>([
    ['nothing', 'elsewhere', ''],
    ['blanks', 'elsewhere', ' \t\n'],
    ['nothing but a scheme', 'host', 'https://'],
    ['length', 'elsewhere', 'x'.repeat(2001)],
    ['half a character', 'elsewhere', 'a\ud800'],
    ['text that is no address', 'origin', 'https://'],
    ['another scheme', 'origin', 'ftp://acme.example'],
    ['climbing', 'path', 'a/../b'],
    ['climbing at the end', 'path', 'a/..'],
    ['climbing by a path parameter', 'path', 'a/..;x'],
    ['a backslash', 'path', 'a\\b'],
    ['a user', 'host', 'user@acme.example'],
    ['a user in an origin', 'origin', 'https://user:x@acme.example'],
    ['an address in another notation', 'host', '0x7f.1'],
    ['a port in another notation', 'host', 'acme.example:0443'],
    ['a port that is none', 'port', '70000'],
    ['a name that is none', 'host', 'acme..example:x'],
    ['a name that is too long', 'host-label', Array(62).fill('abc').join('.')],
    ['a path that is written otherwise', 'origin', 'https://acme.example/é'],
    ['a path with what is dropped', 'origin', 'https://acme.example/a\tb'],
    ['a fragment', 'origin', 'https://acme.example/#x'],
  ])('%s: as %s, %j', (_what, position, value) => {
    expect(isTaken(position, value)).toBe(false);
  });

  it('what is no option, and what does not match', () => {
    const options = [{ value: 'eu', title: 'Europe' }];
    expect([isTaken('elsewhere', 'us', { options }), isTaken('elsewhere', 'eu', { options })]).toEqual([
      false,
      true,
    ]);
    expect([
      isTaken('elsewhere', 'ab', { ownPattern: '^a$' }),
      isTaken('elsewhere', 'a', { ownPattern: '^a$' }),
    ]).toEqual([false, true]);
  });
});

describe('a value is taken beside each guard', () => {
  it.each<[VariablePosition, string]>([
    ['elsewhere', 'x'.repeat(2000)],
    ['elsewhere', 'é'],
    ['origin', 'https://Acme.example/'],
    ['origin', 'http://acme.example:80/x'],
    ['path', 'a..b'],
    ['path', '.a/b.'],
    ['host', 'https://acme.example:443/'],
    ['host', 'ACME.example'],
    ['host-ending', 'com.au'],
    ['host-label', Array(50).fill('abc').join('.')],
    ['port', '65535'],
  ])('as %s: %j', (position, value) => {
    expect(isTaken(position, value)).toBe(true);
  });
});

describe('a template is not filled', () => {
  const provider = (...variables: ProviderVariable[]) => ({ variables });
  const named = (name: string, more: Partial<ProviderVariable> = {}) =>
    variable('host-label', { name, ...more });

  it('with a name that is no variable of the provider', () => {
    const resolved = resolveUrl('https://{other}.acme.example', provider(named('shop')), { other: 'x' });
    expect(resolved).toEqual({
      ok: false,
      variable: 'other',
      message: 'other is not a variable of this provider',
    });
  });

  it('with an inherited member of an object', () => {
    const resolved = resolveUrl('https://{toString}.acme.example', provider(named('toString')), {});
    expect(resolved).toMatchObject({ ok: false, variable: 'toString', message: 'toString is not known' });
  });

  it('with a client id that would lead elsewhere, though it may be anything in a query', () => {
    const fill = (template: string, clientId: string) => resolveUrl(template, provider(), { clientId }).ok;
    expect(fill('https://acme.example/{clientId}/x', '..')).toBe(false);
    expect(fill('https://acme.example/{clientId}/x', 'a b')).toBe(true);
    expect(fill('https://acme.example/?id={clientId}', 'a/../b')).toBe(true);
  });

  it('with values that fit each alone and not together, and the end user’s is blamed', () => {
    const long = Array(32).fill('abc').join('.');
    const variables = provider(
      named('region', { from: 'integration' }),
      named('shop'),
      named('team', { from: 'integration' }),
    );
    const values = { region: long, shop: long, team: 'x' };
    expect(resolveUrl('https://{region}.{shop}.{team}.acme.example', variables, values)).toEqual({
      ok: false,
      variable: 'shop',
      message: 'the address would not be the one intended',
    });
    const own = provider(named('region', { from: 'integration' }), named('team', { from: 'integration' }));
    expect(
      resolveUrl('https://{region}.{team}.acme.example', own, { region: long, team: long }),
    ).toMatchObject({ variable: 'region' });
  });

  it('with a fragment of its own where the template has none', () => {
    const anchored = resolveUrl(
      'https://acme.example/#/{page}',
      provider(variable('elsewhere', { name: 'page' })),
      { page: 'x' },
    );
    expect(anchored).toEqual({ ok: true, url: 'https://acme.example/#/x' });
  });
});

describe('where a variable stands', () => {
  it.each<[string, VariablePosition]>([
    ['https://{x}.acme.example/api', 'host-label'],
    // One label behind it is a registry's: the variable alone decides the host.
    ['https://{x}.example', 'host'],
    ['https://{x}.example:8080/a', 'host'],
    ['https://{x}', 'host'],
    ['https://{x}.localhost', 'host-label'],
    ['https://{x}.internal/a', 'host-label'],
    ['https://accounts.acme.{x}', 'host-ending'],
    ['https://acme.{x}', 'host'],
    ['https://acme.example:{x}', 'port'],
    ['https://acme.example/{x}', 'path'],
    ['https://acme.example?{x}', 'elsewhere'],
    ['https://acme.example/#{x}', 'elsewhere'],
    ['{x}/api', 'origin'],
    ['{x}', 'origin'],
  ])('in %s is %s', (template, position) => {
    expect(positionsIn(template).get('x')).toBe(position);
  });
});
