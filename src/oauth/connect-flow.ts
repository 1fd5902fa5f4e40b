import type { Providers } from '../catalog/custom-providers.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import { validateVariable } from '../catalog/resolve-url.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-sessions.store.ts';
import { TEXTS } from './texts.ts';

/** A session with what it is about, once that is known. */
export type Target = {
  readonly provider: Provider;
  readonly integration: Integration;
  /** Variables that the operator set, or that the connection being re-authorized has. The user is not asked again. */
  readonly known: Readonly<Record<string, string>>;
  /** Those of them that the connection has, for its new grant to keep. */
  readonly kept: Readonly<Record<string, string>>;
};

export type Entered =
  | {
      readonly ok: true;
      readonly variables: Record<string, string>;
      readonly secrets: Record<string, string>;
    }
  | { readonly ok: false; readonly errors: Record<string, string> };

const CHOICES_MAX = 200;
/** Longer ones would not fit into the header of an API call. */
const CREDENTIAL_LENGTH_MAX = 12_000;

/** What a session's pages need to know from the stores. */
export function createConnectFlow(deps: {
  db: Db;
  providers: Providers;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
}) {
  const { db, providers } = deps;

  /** The session's integration; undefined while its user has yet to choose one. */
  async function targetOf(session: ConnectSession): Promise<Target | undefined> {
    if (session.integrationId === null) return undefined;
    const integration = await deps.integrations.find(db, session.integrationId, [session.projectId]);
    const provider = integration && (await providers.find(session.projectId, integration.serviceProvider));
    if (integration === undefined || provider === undefined) return undefined;
    const connection =
      session.connectionId === null
        ? undefined
        : await deps.connections.find(db, session.connectionId, [session.projectId]);
    const kept = connection?.variables ?? {};
    return { provider, integration, known: { ...kept, ...integration.variables }, kept };
  }

  /** The project's integrations that a user may choose among. */
  async function choicesOf(session: ConnectSession) {
    const found = await deps.integrations.list(db, { projectIds: [session.projectId], limit: CHOICES_MAX });
    const choices = await Promise.all(
      found.map(async ({ id: integrationId, serviceProvider }) => {
        const provider = await providers.find(session.projectId, serviceProvider);
        return provider && { integrationId, name: provider.name, category: provider.category };
      }),
    );
    return choices
      .filter((choice) => choice !== undefined)
      .sort((left, right) => left.name.localeCompare(right.name, 'en'));
  }

  return { targetOf, choicesOf };
}

export type ConnectFlow = ReturnType<typeof createConnectFlow>;

/** True where the hosted form has something to ask before (or instead of) the provider. */
export function needsForm({ provider, known }: Target): boolean {
  if (provider.auth !== 'oauth2') return true;
  return provider.variables.some(({ from, name }) => from === 'user' && !Object.hasOwn(known, name));
}

/** Judges what the user typed. Secret variables and credentials are kept apart from what may stand in plain. */
export function judgeEntered({ provider, known }: Target, form: Readonly<Record<string, string>>): Entered {
  const variables: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const errors: Record<string, string> = {};
  for (const variable of provider.variables) {
    if (variable.from !== 'user' || Object.hasOwn(known, variable.name)) continue;
    const judged = validateVariable(variable, form[variable.name] ?? '');
    if (!judged.ok) errors[variable.name] = judged.message;
    else (variable.secret ? secrets : variables)[variable.name] = judged.value;
  }
  for (const [name, isRequired] of credentialFields(provider)) {
    const value = (form[name] ?? '').trim();
    if (value === '' && isRequired) errors[name] = TEXTS.fieldRequired;
    else if (!isCredential(provider, value)) errors[name] = TEXTS.fieldUnusable;
    secrets[name] = value;
  }
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, variables, secrets };
}

/**
 * A key mostly goes into a header, where only visible ASCII may stand (RFC 9110 5.5); pasted text brings typographic
 * quotes and invisible blanks. Basic takes any text but control characters (RFC 7617 2).
 */
function isCredential({ auth }: Provider, value: string): boolean {
  const allowed = auth === 'api-key' ? /^[\x20-\x7e]*$/ : /^\P{Cc}*$/u;
  return value.length <= CREDENTIAL_LENGTH_MAX && allowed.test(value);
}

/** Name and whether it must be filled. Some providers take the key as the user name and leave the password empty. */
function credentialFields(provider: Provider): readonly (readonly [string, boolean])[] {
  if (provider.auth === 'api-key') return [['apiKey', true]];
  if (provider.auth !== 'basic') return [];
  const { username = '{username}', password = '{password}' } = provider.basic ?? {};
  const used = (name: string) => username.includes(`{${name}}`) || password.includes(`{${name}}`);
  return (['username', 'password'] as const).filter(used).map((name) => [name, name === 'username'] as const);
}
