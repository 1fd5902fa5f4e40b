import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { refusalOfAuthorization, refusalOfLogin, refusalOfTokenRequest } from '../../src/connect/refusals.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

describe('an error response to the authorization request', () => {
  it.each([
    ['access_denied', '', 'access_denied', 'access_denied'],
    ['user_cancelled_login', '', 'access_denied', 'access_denied'],
    ['consent_required', '', 'access_denied', 'admin_consent_required'],
    [
      'access_denied',
      'AADSTS90094: The grant requires admin permission.',
      'access_denied',
      'admin_consent_required',
    ],
    [
      'invalid_client',
      'AADSTS650053: The application asked for scope',
      'integration_misconfigured',
      'invalid_scope',
    ],
    ['access_denied', 'AADSTS50105: not assigned to a role', 'access_denied', 'not_assigned'],
    ['access_denied', 'AADSTS53003: Conditional Access', 'access_denied', 'blocked_by_policy'],
    ['access_denied', 'AADSTS50020: does not exist in tenant', 'access_denied', 'wrong_organisation'],
    ['interaction_required', '', 'access_denied', 'sign_in_required'],
    ['invalid_scope', '', 'integration_misconfigured', 'invalid_scope'],
    ['unauthorized_client', '', 'integration_misconfigured', 'unauthorized_client'],
    ['redirect_uri_mismatch', '', 'integration_misconfigured', 'redirect_uri_mismatch'],
    [
      'invalid_request',
      'The redirect_uri is not registered',
      'integration_misconfigured',
      'redirect_uri_mismatch',
    ],
    ['invalid_request', 'whatever', 'integration_misconfigured', 'provider_refused_request'],
    ['server_error', '', 'provider_error', 'server_error'],
    ['temporarily_unavailable', '', 'provider_error', 'temporarily_unavailable'],
    ['something_new', '', 'provider_error', 'provider_error'],
    ['constructor', 'AADSTS0', 'provider_error', 'provider_error'],
  ])('%s with “%s” is %s to the application and explained as %s', (error, description, code, reason) => {
    const refusal = refusalOfAuthorization({ error, error_description: description });
    expect([refusal.error, refusal.reason]).toEqual([code, reason]);
  });

  it('is told in its words to who runs the application', () => {
    const words = refusalOfAuthorization({ error: 'access_denied', error_description: 'Ask Ann first' });
    expect(words.providerWords).toBe('Ask Ann first');
    expect(refusalOfAuthorization({ error: 'access_denied' })).not.toHaveProperty('providerWords');
    const codeless = refusalOfAuthorization({ error: '<b>', error_description: 'Ask Ann first' });
    expect(codeless).not.toHaveProperty('providerCode');
  });

  it('is shown by its codes, never by its words', () => {
    const shown = (error: string, error_description = '') =>
      refusalOfAuthorization({ error, error_description }).providerCode;
    expect(shown('invalid_scope', 'call 0800-SCAM')).toBe('invalid_scope');
    expect(shown('access_denied', 'AADSTS65004: declined')).toBe('access_denied AADSTS65004');
    for (const strange of ['<b>made up</b>', 'call us now', 'x'.repeat(65)])
      expect(shown(strange)).toBeUndefined();
  });
});

describe('a failed token request', () => {
  it('is permanent where the client is refused, and transient where no answer comes', () => {
    expect(refusalOfTokenRequest({ kind: 'client', errorCode: 'invalid_client' })).toEqual({
      ok: false,
      error: 'integration_misconfigured',
      reason: 'client_refused',
      providerCode: 'invalid_client',
    });
    const reasonOf = (kind: 'transient' | 'rejected') =>
      refusalOfTokenRequest({ kind, errorCode: 'x' }).reason;
    expect([reasonOf('transient'), reasonOf('rejected')]).toEqual(['provider_unreachable', 'provider_error']);
  });
});

describe('a token request that is refused for what is set at the integration', () => {
  it.each([
    ['invalid_scope', 'invalid_scope'],
    ['unsupported_grant_type', 'provider_refused_request'],
  ])('%s is the operator’s, also at a log-in', (errorCode, reason) => {
    const expected = { ok: false, error: 'integration_misconfigured', reason, providerCode: errorCode };
    const failure = { kind: 'rejected', errorCode } as const;
    expect(refusalOfTokenRequest(failure)).toEqual(expected);
    expect(refusalOfLogin(failure, acmeProvider())).toEqual(expected);
  });
});

describe('a log-in that is refused because of what the operator gave', () => {
  const github = builtInCatalog.find('github');
  const app = github && listAuthMethods(github).find(({ grant }) => grant === 'app');
  if (app === undefined) throw new Error('no GitHub App');
  const refused = { kind: 'client', errorCode: 'http_401' } as const;

  it('names the variable with the key that signed it, and not the client secret', () => {
    expect(refusalOfLogin(refused, app)).toMatchObject({
      error: 'integration_misconfigured',
      reason: 'client_refused',
      refusedVariable: expect.stringMatching(/\(privateKey\)$/),
    });
  });

  it('names none where no key signs it, or where the user’s part was refused', () => {
    expect(refusalOfLogin(refused, { ...app, jwt: undefined })).not.toHaveProperty('refusedVariable');
    expect(refusalOfLogin({ ...refused, kind: 'invalid_grant' }, app)).not.toHaveProperty('refusedVariable');
  });
});
