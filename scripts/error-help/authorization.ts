import type { AUTHORIZATION_ERRORS } from '../../src/http/error-tables/authorization.ts';
import type { HelpOf } from './help.ts';

export const AUTHORIZATION_HELP: HelpOf<keyof typeof AUTHORIZATION_ERRORS> = {
  connect_session_not_found: ['caller', 'connect', 'a link that was cut, or one of another environment'],
  session_expired: ['user', 'connect', 'a page left open for too long'],
  session_used: ['user', 'connect', 'a reload of the last page, or a link used twice'],
  completion_code_invalid: ['caller', 'connect', 'a completion by another user than the one who began'],
  invalid_state: ['user', 'connect', 'the back button, an old tab, or two attempts at once'],
  flow_binding_failed: ['user', 'connect', 'a link opened in another browser, blocked cookies'],
  access_denied: [
    'user',
    'connect',
    'a user who said no, or an administrator who has to allow the app first',
  ],
  account_mismatch: ['user', 'connect', 'a browser that is signed in to another account at the provider'],
  tenant_unknown: ['caller', 'connection', 'a site or organization that the user did not choose'],
  tenant_missing: ['user', 'connect', 'an account without a site or organization of this product'],
  application_variables_refused: ['caller', 'connect', 'a user token where the application’s key is meant'],
  organization_role_missing: [
    'caller',
    'connect',
    'a token without `gateway_roles`, or of another organization',
  ],
  application_variables_missing: ['caller', 'connect', 'an application that does not say for whom it acts'],
  tenants_unsupported: ['caller', 'connection', 'a provider whose grants reach one account'],
  tenants_unavailable: ['provider', 'connection', 'a provider that does not list them at the moment'],
  missing_scopes: [
    'user',
    'connect',
    'boxes that the user unticked, scopes that the app lacks at the provider',
  ],
  provider_error: [
    'provider',
    'connect',
    'a redirect URL that is not registered, an app that is not released, an outage; the findings say which',
  ],
  reauthorization_required: [
    'user',
    'connection',
    'a changed password, a removed app, a refresh token that ended unused',
  ],
};
