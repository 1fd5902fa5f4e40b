import {
  prepareConnection,
  readApplication,
  readCallValues,
  refreshSchedule,
  refreshTarget,
} from '../../src/credentials/calling/warm-connection.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const connection = {
  connectionId: 'connection-1',
  endUserId: 'user-1',
  integrationId: 'integration-1',
  status: 'active' as const,
  variables: { region: 'eu' },
  credentials: { values: { accessToken: 'access-1' }, refreshToken: 'refresh-1' },
  version: 4,
  expiresInMs: 3_600_000,
  lifetimeSeconds: 3600,
};
const prepare = (extra: object = {}, more: object = {}, known: Record<string, string> = {}) =>
  prepareConnection(
    acmeProvider(extra),
    'project-1',
    known,
    { ...connection, ...more },
    { spread: 0.5, nowMs: NOW_MS },
  );

describe('a connection that is ready for calls', () => {
  it('has its ids, credential and address, and no rules where the provider’s file has none', () => {
    const { resolved, status, refreshMethod, credential } = prepare({}, {}, { accountKey: 'k' });
    expect(resolved).toMatchObject({
      projectId: 'project-1',
      connectionId: 'connection-1',
      integrationId: 'integration-1',
      endUserId: 'user-1',
      providerId: 'acme',
      apiBase: { origin: 'https://api.acme.example' },
      apiHeaders: [],
      apiQuery: [],
    });
    for (const rule of ['timeouts', 'hasOpenStreams', 'linkMembers', 'waitRules', 'responseHeaders'])
      expect(resolved).not.toHaveProperty(rule);
    expect([status, refreshMethod]).toEqual(['active', 'refresh-token']);
    expect(credential).toEqual({
      version: 4,
      values: { accountKey: 'k', region: 'eu', accessToken: 'access-1' },
    });
  });

  it('has the rules of the provider’s file', () => {
    const { resolved } = prepare({
      responseHeaders: ['Acme-Own'],
      timeouts: { firstByteSeconds: 300 },
      paging: { links: ['next'] },
      rateLimit: { statuses: [420], remaining: 'x-left' },
    });
    expect(resolved.responseHeaders).toEqual(new Set(['acme-own']));
    expect(resolved.timeouts).toMatchObject({ firstByteSeconds: 300 });
    expect(resolved.linkMembers).toEqual(['next']);
    expect(resolved.waitRules?.rateLimit).toMatchObject({ statuses: [420] });
    expect(resolved).not.toHaveProperty('hasOpenStreams');
  });

  it('has the fields and parameters whose values are known', () => {
    const { resolved } = prepare({
      variables: { region: { from: 'user' }, unit: { from: 'user', optional: true } },
      apiHeaders: { 'X-Region': '{region}', 'X-Unit': '{unit}', 'X-Fixed': 'a b' },
      apiQuery: { region: '{region}&x', unit: '{unit}' },
    });
    expect(resolved.apiHeaders).toEqual([
      ['X-Region', 'eu'],
      ['X-Fixed', 'a b'],
    ]);
    expect(resolved.apiQuery).toEqual([['region', 'region=eu%26x']]);
  });

  it('is refused where its API’s address lacks a variable', () => {
    const extra = {
      apiBaseUrl: 'https://{shop}.acme.example',
      variables: { shop: { from: 'user', title: 'Shop' } },
    };
    expect(() => prepare(extra)).toThrow(expect.objectContaining({ code: 'integration_misconfigured' }));
    expect(prepare(extra, { variables: { shop: 'one' } }).resolved.apiBase.origin).toBe(
      'https://one.acme.example',
    );
    expect(readApplication(acmeProvider(extra), { shop: 'two' }).apiBase.origin).toBe(
      'https://two.acme.example',
    );
  });

  it('is refreshed by its version', () => {
    expect(refreshTarget(prepare())).toEqual({
      connectionId: 'connection-1',
      projectId: 'project-1',
      integrationId: 'integration-1',
      organizationClientId: null,
      version: 4,
      reuse: expect.anything(),
    });
    const withoutToken = prepare({}, { credentials: { values: {}, refreshToken: null } });
    expect(withoutToken.refreshMethod).toBeUndefined();
  });
});

describe('the next access token', () => {
  it('is asked for before this one expires, by the clock of this process', () => {
    const { expiresAtMs, refreshFromMs } = prepare();
    expect(expiresAtMs).toBe(NOW_MS + 3_600_000);
    expect(refreshFromMs).toBeLessThan(expiresAtMs);
    expect(refreshFromMs).toBeGreaterThan(NOW_MS);
    const fixed = refreshSchedule(acmeProvider({ refreshBeforeExpirySeconds: 60 }), connection, 0, NOW_MS);
    expect(fixed.expiresAtMs - fixed.refreshFromMs).toBe(60_000);
  });

  it('is never asked for where nobody knows when this one expires', () => {
    const never = { expiresAtMs: Number.POSITIVE_INFINITY, refreshFromMs: Number.POSITIVE_INFINITY };
    expect(prepare({}, { expiresInMs: null })).toMatchObject(never);
  });
});

it('calls never hold a key with which the gateway logs in, nor a client certificate', () => {
  const login = { auth: 'jwt-bearer', variables: [{ name: 'key', input: 'pem' }] } as unknown as Parameters<
    typeof readCallValues
  >[0];
  const values = { key: 'secret', accessToken: 'a' };
  expect(readCallValues(login, values)).toEqual({ accessToken: 'a' });
  const keyed = { ...login, auth: 'api-key' } as typeof login;
  expect(readCallValues(keyed, values)).toEqual(values);
});
