import { readFile } from 'node:fs/promises';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { judgeAuthorizationResponse } from '../../src/diagnosis/authorization-response.ts';
import { withoutDisproved } from '../../src/diagnosis/client-diagnosis.ts';
import type { ClientProbe, TokenResponse } from '../../src/diagnosis/client-probe.schema.ts';
import { chooseFindingCode } from '../../src/diagnosis/connect-failure-findings.ts';
import { createFinding, mergeFindings } from '../../src/diagnosis/finding.ts';
import {
  FINDING_CODES,
  FINDING_TEXTS,
  type FindingText,
  type Wording,
} from '../../src/diagnosis/finding-texts.ts';
import { hasTenant } from '../../src/diagnosis/integration-context.ts';
import { judgeClient } from '../../src/diagnosis/judge-client.ts';
import { judgeSignIns } from '../../src/diagnosis/judge-connect-attempts.ts';
import { judgeConnections } from '../../src/diagnosis/judge-connections.ts';
import { judgeSurroundings } from '../../src/diagnosis/judge-environment.ts';
import { judgeProvider } from '../../src/diagnosis/judge-provider.ts';
import { judgeSecrets } from '../../src/diagnosis/judge-secrets.ts';
import { judgeTokens, TOKEN_FAULT_LABELS } from '../../src/diagnosis/judge-tokens.ts';
import { judgeWebhooks } from '../../src/diagnosis/judge-webhooks.ts';
import type { NoticedFault } from '../../src/diagnosis/observed-faults.store.ts';
import { describeTokenResponse } from '../../src/diagnosis/token-endpoint-probe.ts';
import { measureSkew } from '../../src/diagnosis/watched-outbound.ts';
import { judgeExchange } from '../../src/oauth/token-outcome.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const AT = '2026-11-22T09:00:00.000Z';
const CONTEXT = { provider: 'Acme', redirectUrl: 'https://gw.test/oauth/callback', scopes: ['read'] };

const codes = (findings: readonly { code: string }[]) => findings.map(({ code }) => code);
const judged = (findings: readonly { code: string; severity: string }[]) =>
  findings.map(({ code, severity }) => [code, severity]);

const formsOf = (wording: Wording) => (typeof wording === 'string' ? [wording] : Object.values(wording));

describe('the table of findings', () => {
  it.each(FINDING_CODES)('%s has a form for one wherever it names a number of things', (code) => {
    const { title, detail, remedy }: FindingText = FINDING_TEXTS[code];
    expect(`${title} ${remedy}`).not.toContain('{count}');
    if (typeof detail === 'string') expect(detail).not.toContain('{count}');
    else expect([detail.one.includes('{count}'), detail.other.includes('{count}')]).toEqual([false, true]);
  });

  it.each(FINDING_CODES)(
    '%s speaks to operators of fields and buttons, not of members of requests',
    (code) => {
      const { detail, remedy, pageRemedy = remedy }: FindingText = FINDING_TEXTS[code];
      for (const text of [pageRemedy, ...formsOf(detail)])
        expect(text).not.toMatch(/[`]|\b[a-z]+[A-Z]\w*(?![^{]*\})/);
    },
  );

  it.each(FINDING_CODES)('%s has texts whose placeholders other languages can fill', (code) => {
    const { title, detail, remedy, pageRemedy = remedy }: FindingText = FINDING_TEXTS[code];
    for (const text of [title, remedy, pageRemedy, ...formsOf(detail)])
      expect(text.replaceAll(/\{[a-zA-Z]+\}/g, '')).not.toMatch(/[{}]/);
  });

  it('is merged to one finding for each code, the worst first', () => {
    const merged = mergeFindings([
      createFinding('client_accepted', { provider: 'Acme' }),
      createFinding(
        'provider_down',
        { provider: 'Acme', origin: 'a' },
        { evidence: [{ label: 'x', value: '1' }] },
      ),
      createFinding(
        'provider_down',
        { provider: 'Acme', origin: 'b' },
        { evidence: [{ label: 'x', value: '2' }] },
      ),
    ]);
    expect(judged(merged)).toEqual([
      ['provider_down', 'error'],
      ['client_accepted', 'ok'],
    ]);
    expect(merged[0]?.evidence).toHaveLength(2);
  });
});

const TOKEN: TokenResponse = {
  verdict: 'accepted',
  origin: 'https://acme.test',
  code: 'invalid_grant',
  words: null,
  status: 400,
  failure: null,
  durationMs: 100,
  skewMs: 0,
};
const PROBE: ClientProbe = {
  token: TOKEN,
  reason: null,
  older: null,
  otherRegion: null,
  isSwapped: false,
  authorization: null,
};

describe('what a token endpoint says', () => {
  const refused = { verdict: 'refused', code: 'invalid_client', status: 401 } as const;
  it.each<[string, Partial<TokenResponse>, Partial<ClientProbe>, string[]]>([
    ['a refused code', {}, {}, ['client_accepted']],
    ['a refused client', refused, {}, ['client_refused']],
    [
      'a refused client, by its secret',
      { ...refused, words: 'AADSTS7000215: Invalid client secret' },
      {},
      ['client_secret_refused'],
    ],
    [
      'a refused client, by id or secret',
      { ...refused, words: 'The client_id and/or client_secret are wrong' },
      {},
      ['client_refused'],
    ],
    [
      'an expired secret',
      { ...refused, words: 'AADSTS7000222: expired keys' },
      {},
      ['client_secret_expired'],
    ],
    [
      'a refused secret beside an older one that works',
      refused,
      { older: 'accepted' },
      ['client_secret_older_used'],
    ],
    ['nothing of use', { verdict: 'unprovable', code: 'http_400' }, {}, ['client_unprovable']],
    [
      'a name without an address',
      { verdict: 'unreachable', failure: 'dns ENOTFOUND' },
      {},
      ['provider_name_unresolved'],
    ],
    ['no answer', { verdict: 'unreachable', failure: 'timeout' }, {}, ['provider_timeout']],
    [
      'a private address',
      { verdict: 'unreachable', failure: 'refused_address' },
      {},
      ['provider_address_refused'],
    ],
    ['a fault of its own', { verdict: 'unreachable', status: 503 }, {}, ['provider_down']],
    ['a late answer', { durationMs: 6000 }, {}, ['client_accepted', 'provider_slow']],
    ['another time', { skewMs: -60_000 }, {}, ['client_accepted', 'clock_off']],
  ])('%s', (_what, token, probe, expected) => {
    const facts = { ...PROBE, ...probe, token: { ...TOKEN, ...token } };
    expect(codes(judgeClient(facts, { ...CONTEXT, hasTenant: false, at: AT }))).toEqual(expected);
  });

  it('a name without an address is a wrong tenant where the name holds one', () => {
    const token = { ...TOKEN, verdict: 'unreachable', failure: 'dns ENOTFOUND' } as const;
    const context = { ...CONTEXT, hasTenant: true, at: AT };
    expect(codes(judgeClient({ ...PROBE, token }, context))).toEqual(['tenant_wrong']);
  });
});

it.each([
  ['available', []],
  ['unknown', []],
  ['partner-only', [['provider_partner_only', 'info']]],
  ['sign-in-only', [['provider_sign_in_only', 'info']]],
  ['limited', [['provider_limited', 'info']]],
  ['ended', [['provider_ended', 'error']]],
] as const)('a provider that the catalog calls %s is a finding of %j', (status, expected) => {
  const provider = acmeProvider({ status, statusDate: '2026-08', statusNote: 'Moved.' });
  const findings = judgeProvider(provider);
  expect(judged(findings)).toEqual(expected);
  for (const { evidence } of findings)
    expect(evidence.map(({ value }) => value)).toEqual(['2026-08', 'Moved.']);
});

describe('a refusal of a made-up code', () => {
  const exchange = { origin: 'https://acme.test', durationMs: 1, failure: null, skewMs: 0 };
  const judge = (status: number, body: object) => {
    const response = { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    const token = describeTokenResponse(
      judgeExchange(acmeProvider(), response, { use: 'issue', secrets: [] }),
      {
        ...exchange,
        status,
      },
    );
    return codes(judgeClient({ ...PROBE, token }, { ...CONTEXT, hasTenant: true, at: AT }));
  };

  it.each([
    [400, { error: 'invalid_grant' }, 'client_accepted'],
    [400, { status: 'BAD_AUTH_CODE' }, 'client_accepted'],
    [400, { error: 'invalid_code' }, 'client_accepted'],
    [401, { error: 'invalid_client' }, 'client_refused'],
    [
      401,
      { error: 'invalid_client', error_description: 'The OAuth client was not found.' },
      'client_id_unknown',
    ],
    [400, { status: 'BAD_CLIENT_ID' }, 'client_id_unknown'],
    [400, { status: 'BAD_CLIENT_SECRET' }, 'client_secret_refused'],
    [400, { error: 'invalid_client_id' }, 'client_id_unknown'],
    [
      401,
      { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' },
      'client_secret_refused',
    ],
    [
      400,
      { error: 'unauthorized_client', error_description: 'AADSTS700016: Application with identifier x' },
      'client_id_unknown',
    ],
    [
      400,
      { error: 'invalid_request', error_description: 'AADSTS90002: Tenant x not found.' },
      'tenant_wrong',
    ],
    [400, { error: 'unauthorized_client' }, 'app_unverified'],
    [
      400,
      { error: 'invalid_request', error_description: 'redirect_uri does not match' },
      'redirect_url_refused',
    ],
    [400, { error: 'invalid_request' }, 'client_unprovable'],
    [503, {}, 'provider_down'],
    [429, {}, 'client_unprovable'],
    [302, {}, 'client_unprovable'],
  ])('%i %j', (status, body, expected) => {
    expect(judge(status, body)).toEqual([expected]);
  });
});

describe('what an authorization endpoint says', () => {
  const redirectUri = CONTEXT.redirectUrl;
  const judge = (status: number, body: string, location?: string) =>
    judgeAuthorizationResponse(
      { status, headers: location === undefined ? {} : { location }, body: Buffer.from(body) },
      redirectUri,
    ).verdict;

  it.each([
    [200, '<h1>Sign in</h1>', 'unprovable'],
    [200, 'AADSTS50011: The redirect URI specified in the request does not match', 'redirect_refused'],
    [200, 'AADSTS700016: Application was not found', 'client_unknown'],
    [200, 'AADSTS90002: Tenant not found', 'tenant_unknown'],
    [400, '<p>invalid_client</p>', 'client_unknown'],
    [400, 'Error 400: redirect_uri_mismatch', 'redirect_refused'],
    [
      400,
      '{"error":"invalid_request","error_description":"redirect_uri is not registered"}',
      'redirect_refused',
    ],
    [400, 'Cannot GET /authorize?redirect_uri=https://gw.test', 'unprovable'],
    [400, '<script>const redirect_uri = 1;</script><p>Bad request</p>', 'unprovable'],
    [401, 'Unknown client', 'client_unknown'],
    [404, '', 'not_found'],
    [503, 'redirect_uri_mismatch', 'unprovable'],
  ])('%i %s', (status, body, expected) => {
    expect(judge(status, body)).toBe(expected);
  });

  it.each([
    [`${redirectUri}?error=login_required`, 'accepted'],
    [`${redirectUri}?error=invalid_scope`, 'scopes_refused'],
    [`${redirectUri}#error=unauthorized_client`, 'app_refused'],
    ['https://acme.test/login?next=%2Fauthorize', 'unprovable'],
    [
      `https://acme.test/error?authError=${Buffer.from('\n\x15redirect_uri_mismatch\x12').toString('base64url')}`,
      'redirect_refused',
    ],
  ])('a redirect to %s', (location, expected) => {
    expect(judge(302, '', location)).toBe(expected);
  });

  it('is read in linear time, whatever page it sends', () => {
    const started = process.cpuUsage();
    for (const piece of ['<script', '<', 'redirect_uri ', '<style><script>', 'client ']) {
      judge(400, piece.repeat(Math.ceil(512_000 / piece.length)));
    }
    const { user } = process.cpuUsage(started);
    expect(user / 1000).toBeLessThan(1_000);
  });
});

describe('a failed sign-in', () => {
  it.each([
    [{ error: 'integration_misconfigured', reason: 'client_refused' }, 'client_secret_refused'],
    [
      {
        error: 'integration_misconfigured',
        reason: 'client_refused',
        providerWords: 'The secret has expired',
      },
      'client_secret_expired',
    ],
    [
      {
        error: 'integration_misconfigured',
        reason: 'client_refused',
        refusedVariable: 'Private key (privateKey)',
      },
      'client_key_refused',
    ],
    [{ error: 'integration_misconfigured', reason: 'unauthorized_client' }, 'app_unverified'],
    [
      { error: 'integration_misconfigured', reason: 'unauthorized_client', providerCode: 'invalid_client' },
      'client_id_unknown',
    ],
    [{ error: 'integration_misconfigured', reason: 'redirect_uri_mismatch' }, 'redirect_url_refused'],
    [{ error: 'integration_misconfigured', reason: 'invalid_scope' }, 'scopes_refused'],
    [{ error: 'missing_scopes' }, 'scope_not_granted'],
    [{ error: 'access_denied', reason: 'access_denied' }, 'sign_ins_denied'],
    [{ error: 'access_denied', reason: 'wrong_organisation' }, 'tenant_wrong'],
    [
      { error: 'provider_error', reason: 'provider_unreachable', providerCode: 'connection_tls' },
      'provider_tls_broken',
    ],
    [{ error: 'provider_error', reason: 'provider_error', providerCode: 'constructor' }, 'sign_ins_failing'],
    [{ error: 'toString' }, 'sign_ins_failing'],
  ])('%j is %s', (failed, code) => {
    expect(chooseFindingCode(failed)).toBe(code);
  });

  const counts = {
    opened: 5,
    sentToProvider: 4,
    cameBack: 0,
    completed: 0,
    notReturned: 0,
    abandoned: 0,
    lastCompletedAt: null,
  };
  const failure = {
    connectSessionId: 's',
    at: new Date(AT),
    userId: 'ada',
    error: 'missing_scopes',
    reason: undefined,
    providerCode: undefined,
    providerWords: undefined,
    requestId: 'r',
  };
  const before = { updatedAt: new Date('2026-11-21') };
  const after = { updatedAt: new Date('2026-11-23') };

  it('counts until the integration is changed or a sign-in succeeds', () => {
    expect(codes(judgeSignIns(counts, [failure], before, CONTEXT))).toEqual(['scope_not_granted']);
    expect(codes(judgeSignIns(counts, [failure], after, CONTEXT))).toEqual([]);
    const succeeded = { ...counts, lastCompletedAt: new Date('2026-11-23') };
    expect(codes(judgeSignIns(succeeded, [failure], before, CONTEXT))).toEqual([]);
  });

  it('names the scopes that were not granted, and not all that the integration asks for', () => {
    const context = { ...CONTEXT, scopes: ['read', 'write', 'delete'] };
    const failed = { ...failure, missingScopes: ['write'] };
    const [finding] = judgeSignIns(counts, [failed], before, context);
    expect(finding?.parameters.scopes).toBe('write');
    // Records of an earlier release do not say which.
    expect(judgeSignIns(counts, [failure], before, context)[0]?.parameters.scopes).toBe(
      'read, write, delete',
    );
  });

  it('names the variable whose key was refused', () => {
    const refusedVariable = 'Private key (privateKey)';
    const failed = {
      ...failure,
      error: 'integration_misconfigured',
      reason: 'client_refused',
      refusedVariable,
    };
    const [finding] = judgeSignIns(counts, [failed], before, CONTEXT);
    expect([finding?.code, finding?.parameters.variable]).toEqual(['client_key_refused', refusedVariable]);
  });

  it('users who do not come back, or stop at the form, are a finding from the third on', () => {
    const judge = (more: object) => codes(judgeSignIns({ ...counts, ...more }, [], before, CONTEXT));
    expect(judge({ notReturned: 2 })).toEqual([]);
    expect(judge({ notReturned: 3 })).toEqual(['sign_ins_not_returning']);
    expect(judge({ notReturned: 3, cameBack: 1 })).toEqual([]);
    expect(judge({ abandoned: 3 })).toEqual(['sign_ins_abandoned']);
  });
});

describe('what connections tell', () => {
  const trouble = {
    status: 'reauthorization_required' as const,
    reason: 'refresh refused: invalid_grant',
    isClientRefused: false,
    organization: null,
    count: 1,
    connectionId: 'c',
    at: null,
  };
  const judge = (looked: number, ...troubles: object[]) =>
    judged(
      judgeConnections(
        { looked, grantedScopes: [], troubles: troubles.map((one) => ({ ...trouble, ...one })) },
        { scopes: ['read'], optionalScopes: [] },
        CONTEXT,
      ),
    );

  it.each([
    [{}, ['refresh_refused', 'error']],
    [
      { reason: 'refresh refused: invalid_grant (“Token has been expired or revoked.”)' },
      ['grant_revoked', 'warning'],
    ],
    [{ status: 'active', reason: 'refresh failed: http_503' }, ['refresh_failing', 'warning']],
    [{ status: 'active', reason: 'refresh failed: connection_network' }, ['refresh_failing', 'warning']],
    [{ status: 'active', reason: 'refresh failed: no_such_thing' }, ['refresh_refused', 'warning']],
    [{ status: 'active', reason: 'refresh unanswered: connection_timeout' }, ['refresh_slow', 'warning']],
    [{ reason: 'the answer to a token refresh was lost, and …' }, ['refresh_slow', 'error']],
    [
      { status: 'active', reason: 'refresh failed: invalid_client', isClientRefused: true },
      ['client_secret_refused', 'error'],
    ],
  ])('%j', (one, expected) => {
    expect(judge(1, one)).toEqual([expected]);
  });

  it('one dead refresh token among many connections is no error of the integration', () => {
    expect(judge(100, {})).toEqual([['refresh_refused', 'warning']]);
    expect(judge(100, { count: 30 })).toEqual([['refresh_refused', 'error']]);
  });

  it('scopes that no connection was granted, and scopes that nobody asked for', () => {
    const facts = { looked: 2, troubles: [], grantedScopes: ['read', 'more', 'openid'] };
    const integration = { scopes: ['read', 'write', 'offline_access'], optionalScopes: [] };
    const findings = judgeConnections(facts, integration, CONTEXT);
    expect(judged(findings)).toEqual([
      ['scope_not_granted', 'warning'],
      ['scope_not_asked', 'info'],
    ]);
    expect(findings.map(({ parameters }) => parameters.scopes)).toEqual(['write', 'more']);
  });
});

it('a client that is refused where a key signs the log-in is that key, and not the secret', () => {
  const trouble = {
    status: 'active' as const,
    reason: 'refresh failed: http_401',
    isClientRefused: true,
    organization: null,
    count: 1,
    connectionId: 'c',
    at: null,
  };
  const [finding] = judgeConnections(
    { looked: 1, grantedScopes: [], troubles: [trouble] },
    { scopes: [], optionalScopes: [] },
    { ...CONTEXT, keyVariable: 'Private key (privateKey)' },
  );
  expect([finding?.code, finding?.parameters.variable]).toEqual([
    'client_key_refused',
    'Private key (privateKey)',
  ]);
});

it('scopes that nobody asked for are no finding where nothing can ask for them', () => {
  const facts = { looked: 1, troubles: [], grantedScopes: ['api'] };
  const none = { scopes: [], optionalScopes: [] };
  expect(codes(judgeConnections(facts, none, { ...CONTEXT, asksScopes: false }))).toEqual([]);
  expect(codes(judgeConnections(facts, none, CONTEXT))).toEqual(['scope_not_asked']);
});

describe('a secret whose end was noted', () => {
  const secret = (expiresAt: string, lastWorkedAt: string | null = null) => ({
    id: 's',
    kind: 'client' as const,
    age: 'newer' as const,
    createdAt: new Date(0),
    createdBy: 'o',
    lastWorkedAt: lastWorkedAt === null ? null : new Date(lastWorkedAt),
    lastRefusedAt: null,
    expiresAt: new Date(expiresAt),
    triedUntil: null,
  });
  const judge = (one: ReturnType<typeof secret>) =>
    judged(judgeSecrets([one], { provider: 'Acme', nowMs: Date.parse(AT) }));

  it.each([
    ['2026-11-22T08:00:00Z', null, [['client_secret_expired', 'error']]],
    ['2026-11-22T08:00:00Z', '2026-11-22T08:30:00Z', [['client_secret_expired', 'warning']]],
    ['2026-12-20T00:00:00Z', null, [['client_secret_expires_soon', 'warning']]],
    ['2026-12-30T00:00:00Z', null, []],
  ])('at %s, last accepted at %s', (expiresAt, lastWorkedAt, expected) => {
    expect(judge(secret(expiresAt, lastWorkedAt))).toEqual(expected);
  });
});

describe('webhooks', () => {
  const about = { provider: 'Acme', webhookUrl: 'https://gw.test/webhooks/1' };
  const facts = {
    areWanted: true,
    lastWebhook: new Date(AT),
    signatureFailures: { count: 0, lastAt: null },
  };

  it.each([
    ['of which nothing is known', undefined, []],
    ['that come', facts, []],
    [
      'whose signatures do not fit',
      { ...facts, signatureFailures: { count: 3, lastAt: new Date(AT) } },
      ['webhook_secret_wrong'],
    ],
    [
      'of which one fits no secret',
      { ...facts, signatureFailures: { count: 1, lastAt: new Date(AT) } },
      ['webhook_sender_unproven'],
    ],
    [
      'without signatures, which say nothing of the secret',
      { ...facts, unproven: { count: 50, lastAt: new Date(AT) } },
      ['webhook_sender_unproven'],
    ],
    [
      'of another integration of the project',
      {
        ...facts,
        signatureFailures: {
          count: 1,
          lastAt: null,
          cause: { kind: 'other_integration' as const, id: '1', clientId: 'client-b' },
        },
      },
      ['webhook_of_other_integration'],
    ],
    [
      'that are signed for http',
      { ...facts, signatureFailures: { count: 1, lastAt: null, cause: { kind: 'other_scheme' as const } } },
      ['webhook_url_differs'],
    ],
    ['that never came', { ...facts, lastWebhook: null }, ['webhook_never_came']],
    ['that nobody wants', { ...facts, areWanted: false, lastWebhook: null }, []],
  ])('%s', (_what, known, expected) => {
    expect(codes(judgeWebhooks(known, about))).toEqual(expected);
  });

  it('that anybody may have sent raise no error, and a few of them no warning', () => {
    const severityOf = (count: number) =>
      judged(judgeWebhooks({ ...facts, signatureFailures: { count, lastAt: new Date(AT) } }, about));
    expect(severityOf(1)).toEqual([['webhook_sender_unproven', 'info']]);
    expect(severityOf(900)).toEqual([['webhook_secret_wrong', 'warning']]);
  });

  it('that the provider signs with the client secret are never blamed on a webhook secret', () => {
    const signatureFailures = { count: 4, lastAt: new Date(AT) };
    const [finding] = judgeWebhooks({ ...facts, signatureFailures }, { ...about, isSignedByClient: true });
    expect(finding?.code).toBe('webhook_client_secret_wrong');
    expect(finding?.detail).toMatch(/^4 webhooks of Acme bore/);
    expect(finding?.remedy).toContain('`clientSecret`');
    expect(finding?.remedy).not.toContain('webhookSecret');
  });
});

describe('the clock', () => {
  it.each([
    ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
    ['Sun, 22 Nov 2026 08:50:00 GMT', 599_000],
    ['Sun, 22 Nov 2026 09:10:00 GMT', -598_000],
    ['no date', null],
    [undefined, null],
  ])('of a server that says %s', (date, expected) => {
    const startedAtMs = Date.parse(AT);
    expect(measureSkew(date, startedAtMs, startedAtMs + 2_000)).toBe(expected);
  });

  it('is judged against the database’s as well', () => {
    const surroundings = {
      publicUrl: 'https://gw.test',
      allowedOrigins: [],
      returnUrls: [],
      isOnlyProject: true,
      noticed: [],
      nowMs: Date.parse(AT),
    };
    expect(codes(judgeSurroundings({ ...surroundings, clockSkewMs: -9_000 }))).toEqual(['clock_off']);
    expect(codes(judgeSurroundings({ ...surroundings, clockSkewMs: 1_000 }))).toEqual([]);
  });
});

describe('what strangers send', () => {
  const surroundings = {
    publicUrl: 'https://gw.test',
    allowedOrigins: ['https://app.acme.test'],
    returnUrls: [],
    isOnlyProject: true,
    clockSkewMs: 0,
    nowMs: Date.parse(AT),
  };
  const noticed = (kind: 'origin' | 'host', value: string, count = 1): NoticedFault[] => [
    { projectId: null, kind, value, count, lastAt: new Date(AT) },
  ];

  it.each([
    ['a page of anywhere', noticed('origin', 'http://localhost:4953', 40), ['origin_not_allowed', 'info']],
    [
      'a page beside the application',
      noticed('origin', 'https://acme.test'),
      ['origin_not_allowed', 'warning'],
    ],
    ['one visit by another host', noticed('host', 'evil.test'), ['public_url_differs', 'info']],
    ['visits by another host', noticed('host', 'gw.acme.test', 3), ['public_url_differs', 'warning']],
  ])('weighs little until it is likely to be the operator’s: %s', (_what, faults, expected) => {
    expect(judged(judgeSurroundings({ ...surroundings, noticed: faults }))).toEqual([expected]);
  });

  it('names an origin once that was refused at the API and at the proxy', () => {
    const later = new Date(Date.parse(AT) + 1_000);
    const atProxy = noticed('origin', 'https://acme.test', 2).map((fault) => ({
      ...fault,
      projectId: 'p',
      lastAt: later,
    }));
    const faults = [...atProxy, ...noticed('origin', 'https://acme.test')];
    const [finding] = judgeSurroundings({ ...surroundings, noticed: faults });
    expect(finding?.parameters).toEqual({ origins: 'https://acme.test' });
    expect(finding?.evidence).toEqual([
      { label: 'Origin', value: 'https://acme.test (3 ×)', at: later.toISOString() },
    ]);
  });
});

describe('refused user tokens', () => {
  const nowMs = Date.parse(AT);
  const noticed = (value: string, count: number, hoursAgo = 1): NoticedFault => {
    const lastAt = new Date(nowMs - hoursAgo * 3_600_000);
    return { projectId: 'p', kind: 'token', value, count, lastAt };
  };

  it('are counted by reason, the most frequent first, and only those of the last day', () => {
    const [finding] = judgeTokens(
      [noticed('audience', 2), noticed('signature', 5), noticed('lifetime signed', 1, 25)],
      nowMs,
    );
    expect(finding).toMatchObject({
      code: 'tokens_refused',
      severity: 'warning',
      parameters: { count: '7' },
    });
    expect(finding?.evidence.map(({ label, value }) => [label, value])).toEqual([
      [TOKEN_FAULT_LABELS.signature, '5 ×'],
      [TOKEN_FAULT_LABELS.audience, '2 ×'],
    ]);
  });

  it.each([
    ['none', [], []],
    ['tokens that ended', [noticed('expired signed', 9)], ['info']],
    ['one token of anybody', [noticed('signature', 1)], ['info']],
    ['many tokens of anybody', [noticed('signature', 2), noticed('audience', 1)], ['warning']],
    ['tokens of the application itself', [noticed('issued_in_future signed', 1)], ['error']],
    ['reasons of a newer gateway', [noticed('of_tomorrow', 1)], []],
  ])('weigh as much as they harm users: %s', (_name, faults, severities) => {
    expect(judgeTokens(faults, nowMs).map(({ severity }) => severity)).toEqual(severities);
  });

  it.each(['de', 'es'])('have every reason in %s', async (language) => {
    const file = new URL(`../../locales/dashboard/${language}/findings.json`, import.meta.url);
    const { evidenceLabels } = JSON.parse(await readFile(file, 'utf8'));
    expect(Object.keys(evidenceLabels)).toEqual(expect.arrayContaining(Object.values(TOKEN_FAULT_LABELS)));
  });
});

describe('an accepted client', () => {
  const accepted = [createFinding('client_accepted', { provider: 'Acme' })];
  const old = createFinding(
    'client_secret_refused',
    { provider: 'Acme' },
    { evidence: [{ label: 'x', value: 'y', at: AT }] },
  );

  it('disproves earlier refusals and no later ones', () => {
    const checkedAt = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000);
    expect(codes(withoutDisproved([old], accepted, checkedAt(1)))).toEqual([]);
    expect(codes(withoutDisproved([old], accepted, checkedAt(-1)))).toEqual(['client_secret_refused']);
    expect(codes(withoutDisproved([old], [], checkedAt(1)))).toEqual(['client_secret_refused']);
  });
});

describe('a tenant in the addresses', () => {
  it.each<[string, object, boolean]>([
    ['none', {}, false],
    [
      'one that the operator sets',
      {
        tokenUrl: 'https://acme.example/{tenant}/token',
        variables: { tenant: { from: 'integration', pattern: '[a-z]+' } },
      },
      true,
    ],
    [
      'a region',
      {
        tokenUrl: 'https://acme.example/{region}/token',
        variables: { region: { from: 'integration', options: [{ value: 'eu', title: 'EU' }] } },
      },
      false,
    ],
  ])('%s', (_what, file, expected) => {
    const provider: Provider = acmeProvider(file);
    expect(hasTenant(provider)).toBe(expected);
  });
});
