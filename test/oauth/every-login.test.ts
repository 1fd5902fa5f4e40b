import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { isLoginKind } from '../../src/catalog/facts/login-kinds.ts';
import { validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider, ProviderVariable } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { listCallTemplateNames, listTexts } from '../../src/lib/call-template.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import type { OutboundRequest } from '../../src/platform/outbound.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import { createEcKey, createRsaPair } from '../support/login-provider.ts';
import { saidAt } from './fake-answers.ts';
import { buildWarmConnection, catalog } from './provider-life.ts';

const logins = catalog
  .list()
  .flatMap(listAuthMethods)
  .filter(({ auth }) => isLoginKind(auth))
  .map((provider) => [`${provider.id} ${provider.grant ?? ''}`.trim(), provider] as const);

const rsa = createRsaPair();
const ec = createEcKey();
const keyFor = ({ jwt: rules }: Provider) => (rules?.alg.startsWith('ES') ? ec : rsa);

/** What a person gives for a variable. */
function valueFor(provider: Provider, variable: ProviderVariable): string {
  const { pem } = keyFor(provider);
  if (variable.input === 'private-key') return pem;
  if (variable.input === 'certificate') return TEST_CERTIFICATE;
  if (variable.input === 'json') return fileFor(provider, variable);
  return variable.example ?? variable.default ?? variable.options?.[0]?.value ?? `${variable.name}-value`;
}

/** A file with the members that the entry names: the key where the JWT takes it from, texts everywhere else. */
function fileFor(provider: Provider, { name, members = [] }: ProviderVariable): string {
  const file: Record<string, unknown> = {};
  for (const path of members) {
    const steps = path.split('.');
    const last = steps.pop() ?? path;
    let level = file;
    for (const step of steps) {
      const next = (level[step] ?? {}) as Record<string, unknown>;
      level[step] = next;
      level = next;
    }
    level[last] = provider.jwt?.key === `{${name}.${path}}` ? keyFor(provider).pem : `${path}-value`;
  }
  return JSON.stringify(file);
}

const isGiven = (from: string) => ['user', 'application', 'integration', 'external-id'].includes(from);

function givenFor(provider: Provider): Record<string, string> {
  const asked = provider.variables.filter(({ from }) => isGiven(from));
  return Object.fromEntries(
    asked.map((variable) => {
      const judged = validateVariable(variable, valueFor(provider, variable));
      if (!judged.ok) throw new Error(`${provider.id}: ${variable.name}: ${judged.message}`);
      return [variable.name, judged.value];
    }),
  );
}

function place(answer: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    answer[first] = value;
    return;
  }
  const inner = (answer[first] ?? {}) as Record<string, unknown>;
  answer[first] = inner;
  place(inner, rest.join('.'), value);
}

/** The answers of a provider that takes every log-in, with all that the entry reads from them. */
function goodAnswer({ provider, step }: { provider: Provider; step: number }) {
  const { tokenResponse } = provider;
  const answer: Record<string, unknown> = {};
  for (const [path, value] of saidAt(provider, 'token-response'))
    place(answer, path.replace(/^step\d\./, ''), value);
  const headers: Record<string, string | string[]> = {};
  const tokenPath = [tokenResponse.accessToken].flat()[0] ?? '';
  if (tokenPath.startsWith('headers.')) headers[tokenPath.slice('headers.'.length)] = `token-${step}`;
  else if (tokenPath.startsWith('cookies.'))
    headers['set-cookie'] = [`${tokenPath.slice('cookies.'.length)}=token-${step}`];
  else place(answer, tokenPath, `token-${step}`);
  if (tokenResponse.okMember) place(answer, tokenResponse.okMember.path, tokenResponse.okMember.value);
  const named = listTexts(provider.login).flatMap(listCallTemplateNames);
  for (const name of named) {
    const [, path = ''] = /^step\d\.(.+)$/.exec(name) ?? [];
    if (path !== '') place(answer, path, 'told');
  }
  const text = provider.login?.answer === 'text' ? `token-${step}` : JSON.stringify(answer);
  return { status: 200, headers, body: Buffer.from(text) };
}

/** The JWT that a request carries, wherever it stands. */
function assertionIn({ headers = {}, body = '' }: OutboundRequest): string | undefined {
  const text = `${Object.values(headers).join(' ')} ${decodeURIComponent(body.toString())}`;
  return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(text)?.[0];
}

/** Logs in twice at a provider that answers with `status`, and gives back what was sent. */
async function logInTwice(provider: Provider, answer?: { status: number; body: string }) {
  const sent: OutboundRequest[] = [];
  const outbound = {
    async request(request: OutboundRequest) {
      sent.push(request);
      if (answer) return { status: answer.status, headers: {}, body: Buffer.from(answer.body) };
      return goodAnswer({ provider, step: sent.length });
    },
  };
  const endpoint = createTokenEndpoint({ outbound });
  const variables = givenFor(provider);
  const client = { clientId: 'client-id', clientSecrets: ['client-secret'] };
  const request = { provider, client, variables: { ...variables, installation_id: '42' }, scopes: [] };
  const outcomes = [await endpoint.logIn(request), await endpoint.logIn(request)];
  return { sent, outcomes, variables };
}

describe('a log-in as the provider file says', () => {
  it('is there', () => {
    expect(logins.length).toBeGreaterThan(30);
  });

  it.each(logins)('%s: complete requests, a token, and calls that carry it', async (_name, provider) => {
    const { sent, outcomes, variables } = await logInTwice(provider);
    const [first, second] = outcomes;
    if (!first?.ok || !second?.ok) throw new Error(JSON.stringify(outcomes));
    for (const request of sent) {
      expect(request.url).toMatch(/^https:\/\//);
      expect(`${request.url} ${JSON.stringify(request.headers)} ${request.body ?? ''}`).not.toMatch(
        /\{[a-zA-Z]/,
      );
    }
    expect(second.tokens.accessToken).not.toBe(first.tokens.accessToken);

    const open = Object.fromEntries(
      provider.variables.flatMap(({ name, from, example }) =>
        variables[name] === undefined && !isGiven(from)
          ? [[name, example ?? 'example']]
          : variables[name] === undefined
            ? []
            : [[name, variables[name]]],
      ),
    );
    const warm = buildWarmConnection(
      { provider, variables: open, secrets: {} },
      { accessToken: first.tokens.accessToken },
    );
    expect(warm.refreshMethod).toBe('login');
    // The key is for log-ins alone.
    expect(JSON.stringify(warm.credential)).not.toContain('PRIVATE KEY');
  });

  it.each(logins.filter(([, provider]) => provider.jwt))(
    '%s: assertions that its key signed, in time, for its audience, and each another one',
    async (_name, provider) => {
      const { sent } = await logInTwice(provider);
      const rules = provider.jwt;
      const assertions = sent.flatMap((request) => assertionIn(request) ?? []);
      expect(assertions.length).toBeGreaterThan(1);
      for (const assertion of assertions) {
        const publicKey = createPublicKey(keyFor(provider).publicKey.export({ type: 'spki', format: 'pem' }));
        const verified = jwt.verify(assertion, publicKey, {
          algorithms: [rules?.alg ?? 'RS256'],
          complete: true,
        });
        const { iat = 0, exp = 0, iss, aud } = verified.payload as JwtPayload;
        const now = Date.now() / 1000;
        expect([typeof iss, iat <= now, exp - now > 5, exp - iat]).toEqual([
          'string',
          true,
          true,
          (rules?.lifetimeSeconds ?? 0) + (rules?.issuedSecondsAgo ?? 0),
        ]);
        if (rules?.claims.aud !== undefined) expect(aud).toEqual(expect.any(String));
        if (verified.header['x5t#S256'] !== undefined) {
          const der = new X509Certificate(TEST_CERTIFICATE).raw;
          expect(verified.header['x5t#S256']).toBe(createHash('sha256').update(der).digest('base64url'));
        }
      }
      if (rules?.claims.jti !== undefined) expect(new Set(assertions).size).toBe(assertions.length);
    },
  );

  it.each(logins)('%s: nothing that is refused becomes a token', async (_name, provider) => {
    const refused = await logInTwice(provider, { status: 401, body: '{}' });
    expect(refused.outcomes.map((outcome) => outcome.ok || outcome.kind)).toEqual(
      refused.outcomes.map(() => expect.stringMatching(/^(invalid_grant|client)$/)),
    );
    const away = await logInTwice(provider, { status: 503, body: '' });
    expect(away.outcomes).toMatchObject([{ kind: 'transient' }, { kind: 'transient' }]);
    const empty = await logInTwice(provider, { status: 200, body: '{}' });
    expect(empty.outcomes.map(({ ok }) => ok)).toEqual([false, false]);
  });
});
