import { z } from 'zod';
import { pollResourceFaults } from '../../catalog/rules/poll-rules.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { type PollResource, pollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { HttpError, type InputFault } from '../../http/errors.ts';
import type { Integration } from '../../integrations/integration.ts';
import { findClosestName } from '../../lib/closest-name.ts';
import { findResource } from '../running/run-poll.ts';
import type { CreatePoll } from './polls.schema.ts';
import type { Poll, PollChange, PollToInsert } from './polls.store.ts';

/** The resource that a poll asks for, and the poll as it is to be stored. Throws `invalid_request` with every fault. */
export function chooseResource(
  provider: Provider,
  integration: Integration,
  body: CreatePoll,
): { resource: PollResource; toInsert: Omit<PollToInsert, 'createdBy'> } {
  const resource =
    body.custom === undefined
      ? builtInResource(provider, body.resource ?? '')
      : ownResource(provider, body.custom);
  const parameters = body.parameters ?? {};
  const faults = [
    ...clientFaults(resource, provider, integration, body.custom === undefined ? 'resource' : 'custom'),
    ...parameterFaults(resource, parameters),
    ...deletesFaults(resource, body.deletes),
  ];
  if (faults.length > 0) throw refuse(faults);
  return {
    resource,
    toInsert: {
      projectId: integration.projectId,
      integrationId: integration.id,
      resource: body.resource ?? null,
      custom: body.custom === undefined ? null : resource,
      objectType: resource.object,
      intervalSeconds: body.intervalSeconds,
      fields: body.fields ?? [],
      parameters,
      backfill: body.backfill,
      deletes: body.deletes,
      scanIntervalSeconds: body.scanIntervalSeconds,
    },
  };
}

/** Throws `invalid_request` where the resource cannot do what the change asks for. */
export function judgeChange(poll: Poll, provider: Provider | undefined, change: PollChange): void {
  const resource = findResource(poll, provider);
  const faults = resource === undefined ? [] : deletesFaults(resource, change.deletes);
  if (faults.length > 0) throw refuse(faults);
}

function builtInResource({ id, name, polls }: Provider, wanted: string): PollResource {
  const found = Object.hasOwn(polls, wanted) ? polls[wanted] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(polls);
  const meant = findClosestName(wanted, names);
  const hint =
    names.length === 0
      ? `the catalog describes none for ${name}: send \`custom\``
      : `${meant === undefined ? '' : `did you mean “${meant}”? `}GET /v1/providers/${id}/poll-resources lists them`;
  throw refuse([{ path: 'body.resource', message: `not a resource of ${name}: ${hint}` }]);
}

function ownResource(provider: Provider, given: NonNullable<CreatePoll['custom']>): PollResource {
  const parsed = pollResource.safeParse(given);
  if (!parsed.success)
    throw refuse([{ path: 'body.custom', message: z.prettifyError(parsed.error).slice(0, 300) }]);
  const faults = pollResourceFaults(parsed.data, variablesOf(provider));
  if (faults.length === 0) return parsed.data;
  throw refuse(
    faults.map(({ path, reason }) => ({
      path: ['body.custom', ...path].map(String).join('.'),
      message: reason,
    })),
  );
}

/** Secret variables stay out of requests that are shown and stored in plain. */
function variablesOf({ variables }: Provider): string[] {
  return variables.filter(({ secret }) => !secret).map(({ name }) => name);
}

/** A token of the client needs a client and the address where it gets tokens. */
function clientFaults(
  { clientToken }: PollResource,
  { tokenUrl }: Provider,
  { clientId }: Integration,
  member: 'resource' | 'custom',
): InputFault[] {
  if (clientToken === undefined || (clientId !== null && tokenUrl !== undefined)) return [];
  const message =
    'is read with a token of the application; use an integration that has a client id and a client secret';
  return [{ path: `body.${member}`, message }];
}

function parameterFaults(resource: PollResource, given: Readonly<Record<string, string>>): InputFault[] {
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(resource.parameters, name))
    .map((name) => ({ path: `body.parameters.${name}`, message: 'not a parameter of the resource' }));
  const missing = Object.entries(resource.parameters)
    .filter(([name, parameter]) => parameter.default === undefined && !Object.hasOwn(given, name))
    .map(([name, { description }]) => ({
      path: `body.parameters.${name}`,
      message: `required: ${description}`,
    }));
  return [...unknown, ...missing];
}

function deletesFaults({ list, changes }: PollResource, deletes: 'none' | 'scan' | undefined): InputFault[] {
  if (deletes !== 'scan' || list !== undefined || changes === undefined) return [];
  const message =
    'the resource has no listing of everything (`list`) in which deletions could be found; use none';
  return [{ path: 'body.deletes', message }];
}

function refuse(errors: readonly InputFault[]): HttpError {
  return new HttpError('invalid_request', { errors });
}
