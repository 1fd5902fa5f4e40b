import type { RecordActivity } from '../activity/record.ts';
import { judgeClientCertificate } from '../catalog/facts/client-certificate.ts';
import { hasExternalId, makeExternalIds } from '../catalog/facts/external-ids.ts';
import { isLoginKind } from '../catalog/facts/login-kinds.ts';
import { missingVariableErrors, missingVariables } from '../catalog/facts/missing-variables.ts';
import { resolveUrl, validateVariable } from '../catalog/facts/resolve-url.ts';
import { consentedValues, templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { once } from '../lib/once.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Grant } from './connection.ts';
import type { ImportConnection } from './connections.schema.ts';
import type { ConnectionsStore } from './connections.store.ts';
import { readImportOwner } from './import-owner.ts';
import type { ImportTarget, ProveImport } from './prove-import.ts';

type ImportingPrincipal = Exclude<Principal, { kind: 'end_user' }>;

/** `words`: what the provider said, without credentials. */
export type LoginResult =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly error: string; readonly reason?: string; readonly words?: string };

/**
 * Judges an import and prepares everything but the change itself: what comes back stores the credentials as an active
 * connection in the given transaction and answers its id.
 */
export type PrepareImport = (
  principal: ImportingPrincipal,
  body: ImportConnection,
) => Promise<(trx: Db) => Promise<string>>;

export function createPrepareImport(deps: {
  providers: Providers;
  access: Access;
  connections: ConnectionsStore;
  recordActivity: RecordActivity;
  findIntegration(id: string, projectIds: readonly string[]): Promise<ImportTarget | undefined>;
  /**
   * The integration's variables that are part of a credential: an operator may have set what end users are otherwise
   * asked for.
   */
  secretVariablesOf(integration: ImportTarget): Promise<Readonly<Record<string, string>>>;
  /** The integration as that organization uses it: with an OAuth client of its own, where it has one. */
  withClientOf(integration: ImportTarget, organization: string): Promise<ImportTarget>;
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
  /** Obtains the tokens of a connection: by a log-in, or by the integration's own client (RFC 6749 section 4.4). */
  logIn(
    integration: ImportTarget,
    entered: { variables: Record<string, string>; secrets: Record<string, string> },
  ): Promise<LoginResult>;
  proveImport: ProveImport;
}): PrepareImport {
  /** The grant of a log-in with what was given: nothing is stored that the provider does not take. */
  async function logIn(provider: Provider, given: Grant, integration: ImportTarget): Promise<Grant> {
    const { accessToken: _replaced, ...secrets } = given.credentials.values;
    const entered = { variables: given.variables, secrets };
    const made = await deps.logIn(integration, entered);
    if (!made.ok) throw loginError(provider, made);
    const { accountId, accountName } = given;
    return {
      ...made.grant,
      accountId: accountId ?? made.grant.accountId,
      accountName: accountName ?? made.grant.accountName,
    };
  }

  /** Refuses credentials without a part that every call carries. */
  async function assertSecrets(provider: Provider, grant: Grant, integration: ImportTarget): Promise<void> {
    const known = templateValues({
      integration: integration.variables,
      connection: grant.variables,
      credentials: grant.credentials.values,
    });
    // A log-in is done at once and needs them all; an address that lacks one was refused before.
    const isNeeded = ({ secret }: ProviderVariable) => secret || isLoginKind(provider.auth);
    const ofCallback = isLoginKind(provider.auth) ? missingVariables(provider, 'callback', known) : [];
    const lacking = [
      ...missingVariables(provider, 'user', known).filter(isNeeded),
      ...missingVariables(provider, 'application', known),
      ...ofCallback,
    ];
    if (lacking.length === 0) return;
    const kept = await deps.secretVariablesOf(integration);
    const missing = lacking.filter(({ name }) => !Object.hasOwn(kept, name));
    if (missing.length === 0) return;
    throw new HttpError('credentials_invalid', {
      errors: missingVariableErrors(missing, 'body.credentials.variables.'),
    });
  }

  return async (principal, body) => {
    const own = await deps.access.find(principal, 'write', 'integration_not_found', (projectIds) =>
      deps.findIntegration(body.integrationId, projectIds),
    );
    const { projectId, serviceProvider, grant: providerGrant } = own;
    const provider = await deps.providers.find(projectId, serviceProvider, providerGrant);
    if (provider === undefined) throw new HttpError('provider_unknown');
    const imported = grantFrom(provider, body);
    const { userId, organization } = readImportOwner(principal, body);
    const integration = organization === undefined ? own : await deps.withClientOf(own, organization);
    const findEndUser = once(() =>
      organization === undefined
        ? deps.endUserId(projectId, userId ?? '')
        : deps.organizationId(projectId, organization),
    );
    const externalIds = hasExternalId(provider)
      ? makeExternalIds(provider, { projectId, endUserId: await findEndUser() })
      : {};
    const given = {
      ...imported,
      variables: templateValues({
        defaults: externalIds,
        integration: consentedValues(provider, integration.variables),
        connection: imported.variables,
      }),
    };
    const obtainsTokens = isLoginKind(provider.auth) || provider.auth === 'oauth2-client-credentials';
    // A token that the gateway obtains may come with the address.
    if (!obtainsTokens) assertAddresses(provider, given, integration.variables);
    await assertSecrets(provider, given, integration);
    const grant = obtainsTokens ? await logIn(provider, given, integration) : given;
    if (!obtainsTokens) await deps.proveImport(provider, integration, grant);
    const endUserId = await findEndUser();
    const isForOrganization = organization !== undefined && userId !== undefined;
    const connectedBy = isForOrganization ? await deps.endUserId(projectId, userId) : null;
    return async (trx) => {
      const organizationClientId = integration.organizationClient?.versionId ?? null;
      const owner = {
        ...{ projectId, integrationId: integration.id, endUserId, connectedBy, organizationClientId },
        tags: body.tags,
      };
      const id = await deps.connections.insert(trx, owner, grant, body.customMetadata);
      await deps.recordActivity(trx, {
        projectId,
        actor: principal,
        action: 'connection.imported',
        subjectId: id,
        details: { integrationId: integration.id, integrationUserId: endUserId },
      });
      return id;
    };
  };
}

const NEEDED: Readonly<Record<Provider['auth'], readonly ('accessToken' | 'apiKey' | 'username')[]>> = {
  oauth2: ['accessToken'],
  'oauth2-client-credentials': [],
  'api-key': ['apiKey'],
  basic: ['username'],
  'aws-sigv4': [],
  oauth1: [],
  'jwt-per-call': [],
  wsse: [],
  'jwt-bearer': [],
  'token-login': [],
  'github-app': [],
};

/** Judges what was given against what the provider needs. Throws credentials_invalid or variable_invalid. */
function grantFrom(
  provider: Provider,
  {
    credentials,
    accountId,
    accountName,
  }: Pick<ImportConnection, 'credentials' | 'accountId' | 'accountName'>,
): Grant {
  const missing = NEEDED[provider.auth].filter((name) => credentials[name] === undefined);
  if (missing.length > 0) {
    throw new HttpError('credentials_invalid', {
      errors: missing.map((name) => ({
        path: `body.credentials.${name}`,
        message: `${provider.name} needs it`,
      })),
    });
  }
  if (isLoginKind(provider.auth)) assertNoTokens(provider, credentials);
  const { open, secret } = sortVariables(provider, credentials.variables);
  const { accessToken, apiKey, username, password } = credentials;
  const values = Object.fromEntries(
    Object.entries({ accessToken, apiKey, username, password }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  if (provider.auth === 'basic') values.password ??= '';
  return {
    credentials: { values: { ...values, ...secret }, refreshToken: credentials.refreshToken ?? null },
    accessTokenExpiresAt: credentials.expiresAt === undefined ? null : new Date(credentials.expiresAt),
    accessTokenLifetimeSeconds: null,
    grantedScopes: credentials.scopes ?? [],
    accountId: accountId ?? null,
    accountName: accountName ?? null,
    tenantId: null,
    tenantName: null,
    variables: open,
  };
}

/** Where the gateway logs in, a token of another system would be replaced at once. */
function assertNoTokens(provider: Provider, credentials: ImportConnection['credentials']): void {
  const fields = [
    'accessToken',
    'refreshToken',
    'expiresAt',
    'scopes',
    'apiKey',
    'username',
    'password',
  ] as const;
  const given = fields.filter((name) => credentials[name] !== undefined);
  if (given.length === 0) return;
  throw new HttpError('credentials_invalid', {
    errors: given.map((name) => ({
      path: `body.credentials.${name}`,
      message: `the gateway itself logs in at ${provider.name}: give the values in credentials.variables`,
    })),
  });
}

/** What went wrong with a log-in, for who imports. */
function loginError(
  provider: Provider,
  { error, reason, words }: Extract<LoginResult, { ok: false }>,
): HttpError {
  const said = words === undefined ? '' : `: ${words}`;
  if (reason === 'provider_unreachable') {
    const detail = `${provider.name} could not be asked whether it takes the credentials.`;
    return new HttpError('upstream_unreachable', { detail });
  }
  if (error === 'integration_misconfigured') {
    const detail = `${provider.name} refused what is set at the integration${said}`;
    return new HttpError('integration_misconfigured', { detail });
  }
  return new HttpError('credentials_invalid', { detail: `${provider.name} refused the credentials${said}` });
}

/** Refuses a connection whose calls, or whose refreshes, could never be addressed. */
function assertAddresses(
  provider: Provider,
  grant: Grant,
  integrationVariables: Readonly<Record<string, string>>,
): void {
  const values = templateValues({ integration: integrationVariables, connection: grant.variables });
  const refreshUrl = grant.credentials.refreshToken === null ? undefined : provider.tokenUrl;
  for (const template of [provider.apiBaseUrl, refreshUrl]) {
    const resolved = template === undefined ? undefined : resolveUrl(template, provider, values);
    if (resolved === undefined || resolved.ok) continue;
    const path = `body.credentials.variables.${resolved.variable}`;
    throw new HttpError('variable_invalid', { errors: [{ path, message: resolved.message }] });
  }
}

/**
 * Checks every variable that was given and parts the secret ones (sealed with the credentials) from the open ones.
 * `prefix` is the path of the variables in the request, for the error's `errors[]`.
 */
function sortVariables(
  provider: Provider,
  given: Readonly<Record<string, string>>,
  prefix = 'body.credentials.variables.',
): { open: Record<string, string>; secret: Record<string, string> } {
  const open: Record<string, string> = {};
  const secret: Record<string, string> = {};
  const errors: { path: string; message: string }[] = [];
  for (const [name, value] of Object.entries(given)) {
    const variable = provider.variables.find((candidate) => candidate.name === name);
    const judged = variable && validateVariable(variable, value);
    if (variable === undefined || !judged?.ok) {
      errors.push({
        path: `${prefix}${name}`,
        message: judged?.ok === false ? judged.message : 'no such variable',
      });
      continue;
    }
    (variable.secret ? secret : open)[name] = judged.value;
  }
  if (errors.length > 0) throw new HttpError('variable_invalid', { errors });
  const fault = judgeClientCertificate(provider, secret, Date.now());
  if (fault !== undefined) {
    const { variable, message } = fault;
    throw new HttpError('variable_invalid', { errors: [{ path: `${prefix}${variable}`, message }] });
  }
  return { open, secret };
}
