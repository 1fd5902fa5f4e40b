import { chooseSigner } from '../../src/request-signing/choose-signer.ts';
import { pickExamples } from '../oauth/fake-answers.ts';
import { buildWarmConnection, catalog, given } from '../oauth/provider-life.ts';
import { sigV4Fault } from '../support/sigv4-verifier.ts';

const of = (kind: string) =>
  catalog
    .list()
    .filter(({ auth }) => auth === kind)
    .map((provider) => [provider.id, provider] as const);

describe('a call of a provider of the catalog is signed as its servers want it:', () => {
  it.each(of('aws-sigv4'))('%s, at every host', (_id, provider) => {
    const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRf' };
    const variables = pickExamples(provider);
    const { resolved } = buildWarmConnection(
      { provider, variables, secrets: given(provider).ofUser.secret },
      {},
    );
    const values = { ...variables, ...key, sessionToken: '' };
    for (const hostName of [undefined, ...(resolved.apiHosts?.names ?? [])]) {
      const found = hostName === undefined ? undefined : resolved.apiHosts?.find(hostName);
      const base = found?.ok ? found.base : resolved.apiBase;
      const signed = chooseSigner(provider)?.sign({
        method: 'GET',
        origin: base.origin,
        host: base.hostname,
        target: `${base.basePath}/?Action=List`,
        fields: ['Host', base.hostname],
        hostName,
        body: undefined,
        values,
        nowMs: Date.UTC(2026, 10, 22),
      });
      const [service = ''] = base.hostname.split('.');
      const received = { method: 'GET', body: Buffer.alloc(0), target: '', fields: [], ...signed };
      expect(sigV4Fault(received, key, service)).toBeUndefined();
    }
  });
});
