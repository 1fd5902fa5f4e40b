import { indexCallerPlaces, readToken } from '../../src/proxy/caller-token.ts';
import { providerRequest } from '../../src/proxy/provider-request.ts';
import { readFields } from '../../src/proxy/request-fields.ts';
import { everyGrant } from '../support/every-grant.ts';
import { pickExamples } from './fake-answers.ts';
import { TYPED } from './fake-conduct.ts';
import { buildWarmConnection, catalog } from './provider-life.ts';

/** All others are called with an access token. */
const KEPT_AS_TYPED = new Set(['api-key', 'basic', 'aws-sigv4', 'oauth1', 'jwt-per-call', 'wsse']);

describe('a user JWT where the provider’s own clients put their credential', () => {
  const JWT = 'the.user.jwt';
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const cases = everyGrant(catalog).flatMap(([name, provider]) =>
    provider.callerCredentials.map((place) => [name, place, provider] as const),
  );

  it.each(cases)('%s: is found at %j, and the call is as one with a bearer token', (_id, place, provider) => {
    const { headers, ...places } = indexCallerPlaces(provider.callerCredentials);
    const written = {
      scheme: () => ['Authorization', `${'scheme' in place ? place.scheme : ''} ${JWT}`],
      header: () => ['name' in place ? place.name : '', JWT],
      // Both halves, as some clients fill them.
      basic: () => ['Authorization', `Basic ${encoded(`${JWT}:${JWT}`)}`],
      signature: () => [
        'Authorization',
        'parameter' in place
          ? `${place.scheme} ${place.parameter}=${JWT}/20261122/eu-west-1, Signature=0`
          : '',
      ],
    }[place.in]();
    const context = { provider, variables: { ...pickExamples(provider) }, secrets: {} };
    const warm = buildWarmConnection(
      context,
      KEPT_AS_TYPED.has(provider.auth) ? TYPED : { accessToken: 'real' },
    );
    const sentFor = (raw: string[]) => {
      const fields = readFields(['Host', 'gateway', ...raw], headers);
      const reading = readToken(fields, { headers, ...places });
      if (reading.kind !== 'token') throw new Error('the token is not found');
      const made = providerRequest({
        method: 'GET',
        target: { rawPath: '/x', rawQuery: '' },
        fields,
        connection: warm.resolved,
        apiBase: warm.resolved.apiBase,
        credential: warm.credential,
        ...reading,
      });
      if (made === undefined) throw new Error('the credential is incomplete');
      return made;
    };
    const sent = sentFor(written);
    expect(sent.fields.join(' ')).not.toContain(JWT);
    expect(sent.fields.join(' ')).not.toContain(encoded(JWT));
    const carrier = 'carriesCredential' in place && place.carriesCredential ? place.name : undefined;
    if (carrier === undefined) expect(sent).toEqual(sentFor(['Authorization', `Bearer ${JWT}`]));
    else expect(sent.fields[sent.fields.indexOf(carrier) + 1]).toBe('real');
  });
});
