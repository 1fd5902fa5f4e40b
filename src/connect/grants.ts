import { clientValues } from '../catalog/facts/client-values.ts';
import { pastedMembers } from '../catalog/facts/pasted-values.ts';
import { splitSecretVariables } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Grant } from '../connections/connection.ts';
import { type Account, createAccountRequest, readAccount } from '../oauth/account.ts';
import { missingScopes } from '../oauth/granted-scopes.ts';
import { type CredentialProof, proveCredential } from '../oauth/probe.ts';
import { listTenants, type Tenant } from '../oauth/tenants.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { IssuedTokens } from '../oauth/token-response.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Target } from './connect-flow.ts';
import type { EnteredValues } from './entered-values.ts';
import type { Refusal } from './refusals.ts';

/** A grant of whose tenants one has yet to be chosen; without `tenants` where the provider has none to choose among. */
export type Granted = { readonly grant: Grant; readonly tenants?: readonly Tenant[] };

export type GrantResult =
  | ({ readonly ok: true } & Granted)
  /** `unusable`: tokens that the provider issued and that are to be revoked, since no connection will use them. */
  | (Refusal & { readonly unusable?: Grant });

/** Turns what a provider issued, or what a user typed, into a grant, and finds out whose account it is. */
export function createGrants({
  outbound,
  now,
  clientOf,
}: {
  outbound: Outbound;
  now(): number;
  clientOf(integration: Target['integration']): Promise<OAuthClient>;
}) {
  async function fromTokens(
    target: Target,
    client: OAuthClient,
    tokens: IssuedTokens,
    context: {
      readonly entered: EnteredValues;
      readonly callbackParameters: Readonly<Record<string, string>>;
    },
  ): Promise<GrantResult> {
    const { provider, integration, known, kept } = target;
    const { entered } = context;
    const values = templateValues({
      entered: entered.secrets,
      credentials: { accessToken: tokens.accessToken },
    });
    const callValues = templateValues({
      integrationSecrets: client.secretVariables,
      gateway: clientValues(provider, client.clientId, client.clientSecrets[0]),
      credentials: values,
    });
    const account = await readAccount(provider, {
      tokenResponse: tokens.raw,
      callbackParameters: context.callbackParameters,
      variables: templateValues({
        before: known,
        entered: entered.variables,
        reported: pastedMembers(provider, callValues),
      }),
      request: createAccountRequest({ outbound }, provider, callValues),
    });
    const reported = splitSecretVariables(
      provider,
      templateValues({ connection: kept, entered: entered.variables, reported: account.variables }),
    );
    const grant = {
      accountId: account.accountId,
      accountName: account.accountName,
      tenantId: null,
      tenantName: null,
      variables: reported.open,
      credentials: {
        values: templateValues({ entered: values, reported: reported.secret }),
        refreshToken: tokens.refreshToken,
      },
      accessTokenExpiresAt: expiryOf(tokens.expiresInSeconds, now()),
      accessTokenLifetimeSeconds: tokens.expiresInSeconds,
      grantedScopes: [...(tokens.scopes ?? [...integration.scopes, ...integration.optionalScopes])],
    };
    const granted = templateValues({
      before: known,
      connection: reported.open,
      credentials: reported.secret,
    });
    const fault = faultOf(account, provider, granted);
    if (fault !== undefined) return { ...fault, unusable: grant };
    const missing = missingScopes(integration.scopes, tokens.scopes, provider.scopeComparison);
    if (missing.length > 0)
      return { ok: false, error: 'missing_scopes', missingScopes: missing, unusable: grant };
    const reached = await findTenants(
      outbound,
      target,
      templateValues({ before: known, connection: reported.open, credentials: callValues }),
    );
    return reached.ok ? { ok: true, grant, ...reached.found } : { ...reached, unusable: grant };
  }

  async function fromCredentials(
    target: Target,
    { variables, secrets }: EnteredValues,
  ): Promise<GrantResult> {
    const { provider, integration, known, kept } = target;
    const { clientId, clientSecrets, secretVariables } = await clientOf(integration);
    const ofClient = clientValues(provider, clientId, clientSecrets[0]);
    const values = templateValues({
      integrationSecrets: secretVariables,
      gateway: ofClient,
      credentials: secrets,
    });
    const entered = templateValues({ before: known, entered: variables });
    const filled = templateValues({ connection: entered, credentials: values });
    const proof = await proveCredential({ outbound }, provider, filled);
    const unproved = proof && refusalOfProof(proof);
    if (unproved !== undefined) return unproved;
    const { account: answer } = proof ?? {};
    const request = answer ? async () => answer : createAccountRequest({ outbound }, provider, values);
    const { username } = secrets;
    const shown = templateValues({ before: username === undefined ? {} : { username }, entered });
    const account = await readAccount(provider, { variables: shown, request });
    const reported = splitSecretVariables(
      provider,
      templateValues({ connection: kept, entered: variables, reported: account.variables }),
    );
    const granted = templateValues({
      before: known,
      connection: reported.open,
      credentials: reported.secret,
    });
    const fault = faultOf(account, provider, granted);
    if (fault !== undefined) return fault;
    const sealed = templateValues({ entered: secrets, reported: reported.secret });
    const grant = keyGrant(reported.open, sealed, account);
    const reached = await findTenants(
      outbound,
      target,
      templateValues({ before: known, connection: reported.open, credentials: values }),
    );
    if (!reached.ok)
      return reached.isCredentialRefused ? { ok: false, error: 'credentials_refused' } : reached;
    return { ok: true, grant, ...reached.found };
  }

  return { fromTokens, fromCredentials };
}

/** What the grant reaches, where the provider has tenants. */
async function findTenants(
  outbound: Outbound,
  { provider, wantedTenant }: Target,
  values: Readonly<Record<string, string>>,
): Promise<
  | { readonly ok: true; readonly found: Pick<Granted, 'tenants'> }
  | (Refusal & { readonly isCredentialRefused: boolean })
> {
  if (provider.tenants === undefined) {
    return wantedTenant === null
      ? { ok: true, found: {} }
      : { ok: false, error: 'tenants_unsupported', isCredentialRefused: false };
  }
  const listed = await listTenants({ outbound }, provider, values);
  if (listed.ok) return { ok: true, found: { tenants: listed.tenants } };
  // The entry asks no choice of the user, so a list that fails is no reason to refuse a grant that works.
  if (!provider.tenants.asked && wantedTenant === null) return { ok: true, found: { tenants: [] } };
  const isUnavailable = listed.kind === 'unavailable';
  return {
    ok: false,
    error: 'provider_error',
    reason: isUnavailable ? 'provider_unreachable' : 'tenants_refused',
    isCredentialRefused: listed.kind === 'credential_refused',
    ...(listed.words !== undefined && { providerWords: listed.words }),
  };
}

const UNREACHABLE: Refusal = { ok: false, error: 'provider_error', reason: 'provider_unreachable' };

/** Why a credential is not taken; undefined where it is proved. */
function refusalOfProof({ verdict, code, words }: CredentialProof): Refusal | undefined {
  const report = { providerCode: code, ...(words !== undefined && { providerWords: words }) };
  switch (verdict) {
    case 'accepted':
      return undefined;
    case 'refused':
      return { ok: false, error: 'credentials_refused', ...report };
    case 'unclear':
      return { ok: false, error: 'credentials_refused', reason: 'credentials_unproved', ...report };
    case 'unreachable':
      return { ...UNREACHABLE, ...report };
  }
}

export type Grants = ReturnType<typeof createGrants>;

function keyGrant(
  variables: Record<string, string>,
  secrets: Record<string, string>,
  { accountId, accountName }: Account,
): Grant {
  return {
    accountId,
    accountName,
    tenantId: null,
    tenantName: null,
    variables,
    credentials: { values: secrets, refreshToken: null },
    accessTokenExpiresAt: null,
    accessTokenLifetimeSeconds: null,
    grantedScopes: [],
  };
}

/**
 * A connection works without a known account, but not without an API address. A 401 for a token just issued mostly
 * means that the account call needs a scope that was not requested.
 */
function faultOf(
  { problem }: Account,
  provider: Provider,
  known: Readonly<Record<string, string>>,
): Refusal | undefined {
  const isInBase = (name: string) => provider.apiBaseUrl.includes(`{${name}}`);
  if (problem?.kind === 'variable_invalid' && isInBase(problem.variable)) {
    return { ok: false, error: 'provider_error' };
  }
  const isLacking = provider.variables.some(
    ({ name, from }) => from === 'account' && isInBase(name) && !Object.hasOwn(known, name),
  );
  if (!isLacking) return undefined;
  if (problem?.kind === 'account_unavailable') return UNREACHABLE;
  return problem?.kind === 'credential_refused' ? { ok: false, error: 'provider_error' } : undefined;
}

function expiryOf(expiresInSeconds: number | null, nowMs: number): Date | null {
  return expiresInSeconds === null ? null : new Date(nowMs + expiresInSeconds * 1000);
}
