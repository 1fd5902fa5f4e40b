import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Role } from '../projects/access.store.ts';
import { CUSTOM_PREFIX } from '../providers/custom-description.ts';
import type { CurrentObject, ObjectKind, WantedObject } from './objects.ts';
import { type Call, type Caller, callOperation } from './operations.ts';
import type { PlannedChange } from './plan.ts';
import { missingValue } from './substitution.ts';
import { KAFKA_PASSWORD } from './wanted-secrets.ts';

const ROLES: readonly Role[] = ['owner', 'admin', 'viewer'];

export type ChangeMember = (
  principal: PrincipalOf<['operator']>,
  change: {
    readonly projectId: string;
    readonly email: string;
    /** Undefined: none any more. */
    readonly role: Role | undefined;
    /** As `operator:<id>` or `invitation:<id>`; undefined where there is none. */
    readonly current: string | undefined;
  },
) => Promise<Call | undefined>;

export type Changing = Caller & {
  readonly projectId: string;
  /** Ids of the objects that there are, by kind and name; those that are made come in. */
  readonly ids: Map<string, string>;
  /** Invites or withdraws by itself, or answers the operation that changes the member. */
  readonly changeMember: ChangeMember;
};

/** Makes one change of a plan. */
export async function changeObject(changing: Changing, change: PlannedChange): Promise<void> {
  const { kind, name, wanted, current } = change;
  const object = { kind, name, place: wanted?.place };
  for (const call of await listCalls(changing, change)) {
    const made = await callOperation(changing, object, fillId(call, changing.ids.get(formatKey(kind, name))));
    if (current === undefined && typeof made.id === 'string')
      changing.ids.set(formatKey(kind, name), made.id);
  }
  if (current !== undefined && wanted !== undefined) changing.ids.set(formatKey(kind, name), current.id);
}

export function formatKey(kind: ObjectKind, name: string): string {
  return `${kind} ${name}`;
}

/** Stands for the id of what the call before has made. */
const MADE = '<made>';

function fillId(call: Call, id: string | undefined): Call {
  if (call.params?.id !== MADE || id === undefined) return call;
  return { ...call, params: { ...call.params, id } };
}

async function listCalls(changing: Changing, change: PlannedChange): Promise<Call[]> {
  const { wanted, current } = change;
  assertSecretsGiven(changing, wanted, current);
  switch (change.kind) {
    case 'project':
      return updateProject(changing, change);
    case 'customProvider':
      return changeProvider(changing, change);
    case 'mandate':
      return changeMandate(changing, change);
    case 'integration':
      return changeIntegration(changing, change);
    case 'poll':
      return changePoll(changing, change);
    case 'destination':
      return changeDestination(changing, change);
    case 'member':
      return changeMember(changing, change);
  }
}

/** A secret that is there stays where its value is not given; one that is not there must be. */
function assertSecretsGiven(
  { source }: Changing,
  wanted: WantedObject | undefined,
  current: CurrentObject | undefined,
): void {
  const missing = [...(wanted?.secrets ?? [])].filter(
    ([path, value]) => value === undefined && current?.secrets.has(path) !== true,
  );
  if (wanted === undefined || missing.length === 0) return;
  throw new HttpError('invalid_request', {
    detail: 'A secret has no value.',
    errors: missing.map(([path]) =>
      source.faultAt([...wanted.place, ...path.split('.')], missingValue(wanted.references[path] ?? '')),
    ),
  });
}

/** The members of the wanted object that differ, each as a whole. */
function changedMembers({ fields, wanted }: PlannedChange): Record<string, unknown> {
  const names = new Set(fields.map(({ path }) => path.split('.')[0] ?? ''));
  return Object.fromEntries(Object.entries(wanted?.fields ?? {}).filter(([name]) => names.has(name)));
}

function changedSecrets({ fields, wanted }: PlannedChange): ReadonlyMap<string, string> {
  const paths = new Set(fields.map(({ path }) => path));
  const given = [...(wanted?.secrets ?? [])].flatMap(([path, value]) =>
    value !== undefined && paths.has(path) ? [[path, value] as const] : [],
  );
  return new Map(given);
}

function updateProject({ projectId, ids }: Changing, change: PlannedChange): Call[] {
  const body = changedMembers(change);
  const secret = changedSecrets(change).get('agentSignIn.openid.clientSecret');
  const setting = body.agentSignIn ?? (secret === undefined ? undefined : change.wanted?.fields.agentSignIn);
  if (isRecord(setting)) body.agentSignIn = writeAgentSignIn(setting, change, { ids, secret });
  return [{ operationId: 'updateProject', params: { projectId }, body }];
}

function writeAgentSignIn(
  setting: Readonly<Record<string, unknown>>,
  { current, wanted }: PlannedChange,
  { ids, secret }: { readonly ids: ReadonlyMap<string, string>; readonly secret: string | undefined },
): Record<string, unknown> {
  if (!isRecord(setting.openid)) return { ...setting };
  const { mandate, ...openid } = setting.openid;
  const path = 'agentSignIn.openid.clientSecret';
  // Left out of the file, it stays where there is one: none is a public client.
  const isKept = wanted?.secrets.has(path) === true || current?.secrets.has(path) === true;
  return {
    ...setting,
    openid: {
      ...openid,
      mandateId: typeof mandate === 'string' ? (ids.get(formatKey('mandate', mandate)) ?? mandate) : null,
      ...(secret !== undefined && { clientSecret: secret }),
      ...(!isKept && { clientSecret: null }),
    },
  };
}

function changeProvider({ projectId }: Changing, change: PlannedChange): Call[] {
  const { action, name, wanted, current } = change;
  const params = { provider: `${CUSTOM_PREFIX}${name}` };
  const query = { projectId };
  const definition = isRecord(wanted?.fields.definition) ? wanted.fields.definition : {};
  if (action === 'delete') return [{ operationId: 'deleteProvider', params, query }];
  if (action === 'create')
    return [{ operationId: 'createProvider', body: { ...definition, id: name, projectId } }];
  const before = isRecord(current?.fields.definition) ? current.fields.definition : {};
  const gone = Object.keys(before).filter((member) => !Object.hasOwn(definition, member));
  const body = { ...definition, ...Object.fromEntries(gone.map((member) => [member, null])) };
  return [{ operationId: 'updateProvider', params, query, body }];
}

function changeMandate({ projectId }: Changing, change: PlannedChange): Call[] {
  const params = { projectId, id: change.current?.id ?? '' };
  if (change.action === 'delete') return [{ operationId: 'deleteMandate', params }];
  if (change.action === 'update')
    return [{ operationId: 'updateMandate', params, body: changedMembers(change) }];
  return [{ operationId: 'createMandate', params: { projectId }, body: { ...change.wanted?.fields } }];
}

function changeIntegration({ projectId }: Changing, change: PlannedChange): Call[] {
  const { action, current, wanted } = change;
  if (action === 'delete') return [{ operationId: 'deleteIntegration', params: { id: current?.id ?? '' } }];
  const isNew = action === 'create';
  const { displayName, ...changed } = isNew ? { ...wanted?.fields } : changedMembers(change);
  const secrets = changedSecrets(change);
  const variables = withSecretVariables(change, secrets, changed.variables);
  const { disabled, ...rest } = changed;
  const body = {
    ...rest,
    ...(displayName !== undefined && { name: displayName }),
    ...Object.fromEntries([...secrets].filter(([path]) => !path.startsWith('variables.'))),
    ...(variables && { variables }),
  };
  if (!isNew)
    return [
      {
        operationId: 'updateIntegration',
        params: { id: current?.id ?? '' },
        body: { ...body, ...(disabled !== undefined && { disabled }) },
      },
    ];
  // A provider that needs scopes refuses none at all, which an empty list is not.
  const given = Object.entries(body).filter(([name, value]) => name !== 'scopes' || !isEmptyList(value));
  const create = {
    operationId: 'createIntegration',
    body: { ...Object.fromEntries(given), projectId },
  };
  if (disabled == null) return [create];
  return [create, { operationId: 'updateIntegration', params: { id: MADE }, body: { disabled } }];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Those that are secret go with the others; left out, they stay. */
function withSecretVariables(
  { wanted }: PlannedChange,
  secrets: ReadonlyMap<string, string>,
  open: unknown,
): Record<string, unknown> | undefined {
  const start = 'variables.';
  const secret = [...secrets].filter(([path]) => path.startsWith(start));
  if (open === undefined && secret.length === 0) return undefined;
  const all = isRecord(wanted?.fields.variables) ? wanted.fields.variables : {};
  return { ...all, ...Object.fromEntries(secret.map(([path, value]) => [path.slice(start.length), value])) };
}

function changePoll({ ids }: Changing, change: PlannedChange): Call[] {
  const id = change.current?.id ?? MADE;
  if (change.action === 'delete') return [{ operationId: 'deletePoll', params: { id } }];
  const isNew = change.action === 'create';
  const { paused, integration, resource, custom, ...fields } = isNew
    ? { ...change.wanted?.fields }
    : changedMembers(change);
  const hasFields = Object.keys(fields).length > 0;
  const switching = { operationId: paused === true ? 'pausePoll' : 'resumePoll', params: { id } };
  if (!isNew)
    return [
      ...(hasFields ? [{ operationId: 'updatePoll', params: { id }, body: fields }] : []),
      ...(paused === undefined ? [] : [switching]),
    ];
  const body = {
    ...fields,
    integrationId: ids.get(formatKey('integration', String(integration))) ?? '',
    ...(resource !== null && { resource }),
    ...(custom !== null && { custom }),
  };
  return [{ operationId: 'createPoll', body }, ...(paused === true ? [switching] : [])];
}

function changeDestination({ projectId }: Changing, change: PlannedChange): Call[] {
  const params = { id: change.current?.id ?? '' };
  if (change.action === 'delete') return [{ operationId: 'deleteEventDestination', params }];
  if (change.action === 'update')
    return [
      { operationId: 'updateEventDestination', params, body: withPassword(change, changedMembers(change)) },
    ];
  const body = { ...withPassword(change, { ...change.wanted?.fields }), projectId };
  return [{ operationId: 'createEventDestination', body }];
}

/** The password goes with the topic that it is for, wherever the caller brings it. */
function withPassword({ wanted }: PlannedChange, body: Record<string, unknown>): Record<string, unknown> {
  const { kafka } = body;
  const password = wanted?.secrets.get(KAFKA_PASSWORD);
  if (!isRecord(kafka) || !isRecord(kafka.sasl) || password === undefined) return body;
  return { ...body, kafka: { ...kafka, sasl: { ...kafka.sasl, password } } };
}

async function changeMember(changing: Changing, change: PlannedChange): Promise<Call[]> {
  const { principal, projectId } = changing;
  if (principal.kind !== 'operator') throw new HttpError('forbidden_principal');
  const { role } = change.wanted?.fields ?? {};
  const call = await changing.changeMember(principal, {
    projectId,
    email: change.name,
    role: ROLES.find((known) => known === role),
    current: change.current?.id,
  });
  return call === undefined ? [] : [call];
}
