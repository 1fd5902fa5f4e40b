import { credentialField } from '../../src/proxy/credential-field.ts';
import { callerPlaces, outgoingFields, readFields, readToken } from '../../src/proxy/headers.ts';
import { examplesOf } from './fake-answers.ts';
import { TYPED } from './fake-conduct.ts';
import { catalog, warmOf } from './provider-life.ts';

describe('a user JWT where the provider’s own clients put their credential', () => {
  const JWT = 'the.user.jwt';
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const cases = catalog
    .list()
    .flatMap((provider) =>
      provider.callerCredentials.map((place) => [provider.id, place, provider] as const),
    );

  it.each(cases)('%s: is found at %j, and the real credential takes its place', (_id, place, provider) => {
    const { headers, ...places } = callerPlaces(provider.callerCredentials);
    const written = {
      scheme: () => ['Authorization', `${'scheme' in place ? place.scheme : ''} ${JWT}`],
      header: () => ['name' in place ? place.name : '', JWT],
      basic: () => [
        'Authorization',
        `Basic ${encoded('part' in place && place.part === 'username' ? `${JWT}:x` : `x:${JWT}`)}`,
      ],
    }[place.in]();
    const fields = readFields(['Host', 'gateway', ...written], headers);
    const reading = readToken(fields, { headers, ...places });
    if (reading.kind !== 'token') throw new Error('the token is not found');
    expect(reading.token).toBe(JWT);

    const context = { provider, variables: { ...examplesOf(provider) }, secrets: {} };
    const warm = warmOf(context, provider.auth.startsWith('oauth2') ? { accessToken: 'real' } : TYPED);
    const made = credentialField(reading.place, warm.resolved.placement, warm.credential);
    if (made.kind === 'fault') throw new Error('the credential is incomplete');
    const replacement = { host: 'h', credential: made.field, apiHeaders: [], token: JWT, method: 'GET' };
    const sent = outgoingFields(fields, replacement);
    expect(sent.join(' ')).not.toContain(JWT);
    if (made.field !== undefined) expect(sent).toContain(made.field.value);
  });
});
