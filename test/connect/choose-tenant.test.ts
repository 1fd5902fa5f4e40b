import { chooseTenant } from '../../src/connect/choose-tenant.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const listed = { request: { url: 'https://api.acme.example/sites' }, id: 'id' };
const ACCOUNT = { id: { from: 'request', path: 'id' }, request: { url: 'https://api.acme.example/me' } };

/** The user chooses, and the tenant is the account. */
const asking = acmeProvider({ tenants: listed });
/** The user chooses one of an account's tenants. */
const askingBesideAccount = acmeProvider({ account: ACCOUNT, tenants: listed });
const neverAsking = acmeProvider({ account: ACCOUNT, tenants: { ...listed, asked: false } });

const tenant = (id: string, variables: Record<string, string> = {}) => ({
  id,
  name: id,
  detail: null,
  variables,
});
const EAST = tenant('east', { siteId: 'e-1' });
const WEST = tenant('west', { siteId: 'w-1' });
const NORTH = tenant('north');

const connected = (id: string, tenantId: string | null, more: object = {}) => ({
  id,
  accountId: null,
  tenantId,
  variables: {},
  ...more,
});

const connect = { connectionId: null, tenantId: null, allowMultiple: false };
const several = { ...connect, allowMultiple: true };
const renew = (connectionId: string) => ({ ...connect, connectionId });

const taken = (one: object) => ({ kind: 'taken', tenant: one });
const refused = (error: string, reason?: string) => ({
  kind: 'refused',
  refusal: { ok: false, error, ...(reason && { reason }) },
});

describe('the tenant of a first connection', () => {
  it.each([
    ['is the only one', asking, [EAST], connect, taken(EAST)],
    [
      'is asked for where there are more',
      asking,
      [EAST, WEST],
      connect,
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    ['is refused where there is none', asking, [], connect, refused('tenant_missing')],
    [
      'is none where the provider’s calls name it and there are more',
      neverAsking,
      [EAST, WEST],
      connect,
      { kind: 'none' },
    ],
    ['is the only one there, too', neverAsking, [EAST], connect, taken(EAST)],
    ['may be missing there', neverAsking, [], connect, { kind: 'none' }],
    [
      'is the one that the session names',
      asking,
      [EAST, WEST],
      { ...connect, tenantId: 'west' },
      taken(WEST),
    ],
    [
      'is refused where the session names another',
      asking,
      [EAST],
      { ...connect, tenantId: 'west' },
      refused('tenant_unknown'),
    ],
  ])('%s', (_, provider, tenants, session, choice) => {
    expect(chooseTenant(provider, tenants, session, [])).toEqual(choice);
  });
});

describe('the tenant of a user who has connections', () => {
  const onEast = connected('c-east', 'east');
  const onWest = connected('c-west', 'west');
  const onLost = connected('c-lost', 'lost');
  const unknown = connected('c-unknown', null);

  it.each([
    ['is that of the connection', asking, [WEST, EAST], connect, [onEast], taken(EAST)],
    [
      'is that of the connection which is authorized again',
      asking,
      [EAST, WEST],
      renew('c-west'),
      [onEast, onWest],
      taken(WEST),
    ],
    [
      'is asked for among those of the connections',
      asking,
      [EAST, WEST, NORTH],
      connect,
      [onEast, onWest],
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    [
      'is asked for where several connections are allowed',
      asking,
      [EAST, WEST],
      several,
      [onEast],
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    [
      'is that of a connection from before tenants were kept',
      asking,
      [EAST, WEST],
      connect,
      [connected('c', null, { accountId: 'west' })],
      taken(WEST),
    ],
    [
      'is not told by the account where accounts are no tenants',
      askingBesideAccount,
      [EAST, WEST],
      connect,
      [connected('c', null, { accountId: 'west' })],
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    [
      'is told by the variables of an imported connection',
      askingBesideAccount,
      [EAST, WEST],
      connect,
      [connected('c', null, { variables: { siteId: 'w-1' } })],
      taken(WEST),
    ],
    [
      'is not told by variables of another value',
      askingBesideAccount,
      [EAST, WEST],
      connect,
      [connected('c', null, { variables: { siteId: 'x' } })],
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    [
      'is not told by a tenant without variables',
      askingBesideAccount,
      [NORTH, EAST],
      connect,
      [unknown],
      { kind: 'ask', tenants: [NORTH, EAST] },
    ],
    [
      'is refused where the grant no longer reaches it',
      asking,
      [EAST, WEST],
      connect,
      [onLost],
      refused('account_mismatch', 'tenant_lost'),
    ],
    [
      'is refused even where the grant reaches one other',
      asking,
      [EAST],
      renew('c-lost'),
      [onLost, onEast],
      refused('account_mismatch', 'tenant_lost'),
    ],
    [
      'is chosen again where that of one of the connections is unknown',
      asking,
      [EAST, WEST],
      connect,
      [onLost, unknown],
      { kind: 'ask', tenants: [EAST, WEST] },
    ],
    [
      'is the only one where that of the connection is unknown',
      asking,
      [EAST],
      connect,
      [unknown],
      taken(EAST),
    ],
    [
      'is kept where nobody is asked, though several connections are allowed',
      neverAsking,
      [EAST, WEST],
      several,
      [onWest],
      taken(WEST),
    ],
    [
      'is none where nobody is asked and the connections are on several',
      neverAsking,
      [EAST, WEST],
      several,
      [onEast, onWest],
      { kind: 'none' },
    ],
    [
      'is none where nobody is asked and it is no longer reached',
      neverAsking,
      [EAST],
      connect,
      [onLost],
      { kind: 'none' },
    ],
  ])('%s', (_, provider, tenants, session, existing, choice) => {
    expect(chooseTenant(provider, tenants, session, existing)).toEqual(choice);
  });
});
