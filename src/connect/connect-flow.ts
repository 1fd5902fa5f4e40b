import { credentialFields } from '../catalog/facts/asked-fields.ts';
import { sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { type CertificateFault, judgeClientCertificate } from '../catalog/facts/client-certificate.ts';
import { makeExternalIds } from '../catalog/facts/external-ids.ts';
import { incompatibleVariables } from '../catalog/facts/incompatible-variables.ts';
import { missingVariables } from '../catalog/facts/missing-variables.ts';
import { validateVariable } from '../catalog/facts/resolve-url.ts';
import { consentedValues, templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { tidyCredential } from '../lib/tidy-credential.ts';
import { applyDiscovery } from '../oauth/discovered-server.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { createChoices } from './choices.ts';
import type { ConnectSession } from './connect-session.ts';
import { type FieldFault, isAsked, isKeyTyped, type KnownValues } from './pages/asked-variables.ts';
import { extractValue } from './pages/host-affixes.ts';

/** A session with what it is about, once that is known. */
export type Target = KnownValues & {
  readonly provider: Provider;
  readonly integration: Integration;
  /** Those of them that the connection has, for its new grant to keep. */
  readonly kept: Readonly<Record<string, string>>;
  /** The tenant that the session asks for; null: the only one, or the user's choice. */
  readonly wantedTenant: string | null;
};

/** What of a session says what it is about. */
type SessionSubject = Pick<
  ConnectSession,
  'projectId' | 'connectionId' | 'tenantId' | 'applicationVariables'
> & {
  readonly integrationId: string;
  readonly endUserId?: string;
  /** Of an authorization under way: the organization's client, in the version that it began with. */
  readonly begunWith?: string | null;
};

type Entered =
  | {
      readonly ok: true;
      readonly variables: Record<string, string>;
      readonly secrets: Record<string, string>;
    }
  | { readonly ok: false; readonly faults: Record<string, FieldFault> };

/** Longer ones would not fit into the header of an API call. */
const CREDENTIAL_LENGTH_MAX = 12_000;

/** What a session's pages need to know from the stores. */
export function createConnectFlow(deps: {
  db: Db;
  providers: Providers;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  now(): number;
}) {
  const { db, providers } = deps;

  /** The session's integration; undefined while its user has yet to choose one. */
  async function targetOf(session: ConnectSession): Promise<Target | undefined> {
    const { integrationId } = session;
    return integrationId === null ? undefined : targetFor({ ...session, integrationId });
  }

  /** The same as the authorization under way began, whatever has become of an organization's client since. */
  async function begunTargetOf(session: ConnectSession): Promise<Target | undefined> {
    const { integrationId, organizationClientId: begunWith } = session;
    return integrationId === null ? undefined : targetFor({ ...session, integrationId, begunWith });
  }

  /** The same for a session that is yet to be made. */
  async function targetFor(session: SessionSubject): Promise<Target | undefined> {
    const stored = await findIntegration(session);
    const described =
      stored && (await providers.find(session.projectId, stored.serviceProvider, stored.grant));
    if (stored === undefined || described === undefined) return undefined;
    const { provider, integration } = applyDiscovery(described, stored);
    const connection =
      session.connectionId === null
        ? undefined
        : await deps.connections.find(db, session.connectionId, [session.projectId]);
    const sealed = await sealedNamesOf(provider, integration);
    const kept = keptOf({ provider, integration, sealed }, connection?.variables ?? {}, session);
    const known = templateValues({ integration: integration.variables, connection: kept });
    return { provider, integration, known, kept, sealed, wantedTenant: session.tenantId };
  }

  /** The integration as the session's owner uses it. */
  async function findIntegration(session: SessionSubject): Promise<Integration | undefined> {
    const { projectId, integrationId, endUserId, begunWith } = session;
    const own = await deps.integrations.find(db, integrationId, [projectId]);
    if (own === undefined) return undefined;
    const { clients } = deps.integrations;
    if (begunWith !== undefined) return clients.withVersion(db, own, begunWith);
    return endUserId === undefined ? own : clients.withClientOf(db, own, endUserId);
  }

  /** Unseals them only where a user might be asked for one. */
  async function sealedNamesOf(provider: Provider, integration: Integration): Promise<ReadonlySet<string>> {
    if (!provider.variables.some(({ from, secret }) => from === 'user' && secret)) return new Set();
    const { variables } = await deps.integrations.openSecrets(db, integration);
    return new Set(Object.keys(variables));
  }

  const { listChoices } = createChoices(deps);

  return { targetOf, begunTargetOf, targetFor, listChoices };
}

export type ConnectFlow = ReturnType<typeof createConnectFlow>;

/** True where the hosted form has something to ask before (or instead of) the provider. */
export function needsForm(target: Target): boolean {
  const { variables } = target.provider;
  if (!sendsUsersToProvider(target.provider)) return true;
  return variables.some((variable) => isAsked(variable, target));
}

/** Variables that the application has to say before anyone is asked: the key is the integration's. */
export function missingOfApplication(
  target: Pick<Target, 'provider' | 'known' | 'sealed'> | undefined,
): ProviderVariable[] {
  if (target === undefined || isKeyTyped(target.provider, target.sealed)) return [];
  return missingVariables(target.provider, 'application', target.known);
}

/**
 * What a new grant keeps: what the connection has, unless the operator sets it by now, those of the operator's values that
 * the consent is for, and what the application said. For whom the integration's key acts is said again each time: the connection may have the name
 * from its user, who typed it beside a key of their own.
 */
function keptOf(
  { provider, integration, sealed }: Pick<Target, 'provider' | 'integration' | 'sealed'>,
  ofConnection: Readonly<Record<string, string>>,
  { applicationVariables, projectId, endUserId }: SessionSubject,
): Record<string, string> {
  const isGivenAgain = ({ from }: ProviderVariable) =>
    from === 'application' && !isKeyTyped(provider, sealed);
  const dropped = new Set(provider.variables.filter(isGivenAgain).map(({ name }) => name));
  const isSet = (name: string) => Object.hasOwn(integration.variables, name) || sealed.has(name);
  const kept = Object.entries(ofConnection).filter(([name]) => !dropped.has(name) && !isSet(name));
  return templateValues({
    defaults: endUserId === undefined ? {} : makeExternalIds(provider, { projectId, endUserId }),
    before: Object.fromEntries(kept),
    integration: consentedValues(provider, integration.variables),
    entered: applicationVariables,
  });
}

/** Judges what the user typed. Secret variables and credentials are kept apart from what may stand in plain. */
export function validateEntries(target: Target, form: Readonly<Record<string, string>>): Entered {
  const { provider, integration, known } = target;
  const variables: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const faults: Record<string, FieldFault> = {};
  for (const variable of provider.variables) {
    if (!isAsked(variable, target)) continue;
    const typed = extractValue(provider, variable, form[variable.name] ?? '');
    if (variable.optional === true && typed.trim() === '') continue;
    const judged = validateVariable(variable, typed);
    if (!judged.ok) faults[variable.name] = typed.trim() === '' ? 'required' : 'invalid';
    else (variable.secret ? secrets : variables)[variable.name] = judged.value;
  }
  const { clientId } = integration;
  const values = templateValues({
    before: known,
    entered: variables,
    gateway: { clientId: clientId ?? undefined },
    credentials: secrets,
  });
  for (const { variable } of incompatibleVariables(provider, values)) {
    const isTyped = Object.hasOwn(variables, variable) || Object.hasOwn(secrets, variable);
    if (isTyped) faults[variable] = 'invalid';
  }
  const ofCertificate = judgeClientCertificate(provider, secrets, Date.now());
  if (ofCertificate !== undefined && faults[ofCertificate.variable] === undefined)
    faults[ofCertificate.variable] = CERTIFICATE_FAULTS[ofCertificate.fault];
  for (const { name, isRequired, isKey } of credentialFields(provider)) {
    // A password may begin and end with quotes of its own.
    const value = isKey ? tidyCredential(form[name] ?? '') : (form[name] ?? '').trim();
    if (value === '' && isRequired) faults[name] = 'required';
    else if (!isCredential(provider, value)) faults[name] = 'unusable';
    secrets[name] = value;
  }
  return Object.keys(faults).length > 0 ? { ok: false, faults } : { ok: true, variables, secrets };
}

const CERTIFICATE_FAULTS: Readonly<Record<CertificateFault['fault'], FieldFault>> = {
  certificate_missing: 'required',
  key_missing: 'required',
  certificate_unusable: 'invalid',
  key_unusable: 'invalid',
  key_of_another_certificate: 'other_key',
  passphrase_missing: 'passphrase_missing',
  passphrase_wrong: 'passphrase_wrong',
  certificate_expired: 'certificate_not_in_force',
  certificate_not_yet_valid: 'certificate_not_in_force',
};

/**
 * A key mostly goes into a header, where only visible ASCII may stand (RFC 9110 5.5); pasted text brings typographic
 * quotes and invisible blanks. Basic takes any text but control characters (RFC 7617 2).
 */
function isCredential({ auth }: Provider, value: string): boolean {
  const allowed = auth === 'api-key' ? /^[\x20-\x7e]*$/ : /^\P{Cc}*$/u;
  return value.length <= CREDENTIAL_LENGTH_MAX && allowed.test(value);
}
