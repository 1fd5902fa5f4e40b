import { listPlaceholders } from '../../lib/template.ts';
import type { PollRequest, PollResource } from '../schema/provider-polls.schema.ts';
import type { Fault } from './fault.ts';

/** What the gateway fills in, by the request that it belongs to. */
const ALWAYS = ['page', 'limit', 'fields', 'accountId', 'accountNumber'];

/**
 * Checks what the schema of a resource cannot: that templates name only what there will be a value for, and that fields
 * fit together. `variables`: names of the provider's own. Empty: no fault.
 */
export function pollResourceFaults(resource: PollResource, variables: readonly string[]): Fault[] {
  const known = [...ALWAYS, ...variables, ...Object.keys(resource.parameters)];
  const { changes, list, deleted } = resource;
  const isByTimestamp = changes?.by === 'timestamp';
  const log = changes?.by === 'log' ? changes : undefined;
  const requests: [path: readonly string[], request: PollRequest | undefined, more: readonly string[]][] = [
    [['changes', 'request'], changes?.request, isByTimestamp ? ['since', 'until'] : ['cursor']],
    [['changes', 'tie'], isByTimestamp ? changes.tie : undefined, ['at', 'until', 'afterId']],
    [['changes', 'start', 'request'], changes?.by === 'token' ? changes.start?.request : undefined, []],
    [['changes', 'earliest'], log?.earliest, []],
    [['changes', 'latest'], log?.latest, []],
    [['changes', 'subscriptions', 'list', 'request'], log?.subscriptions?.list.request, []],
    [['changes', 'subscriptions', 'create'], log?.subscriptions?.create, ['each']],
    [['list', 'request'], list?.request, []],
    [['deleted', 'request'], deleted?.request, ['since', 'until']],
  ];
  const unknown = requests.flatMap(([path, request, more]) =>
    request === undefined ? [] : requestFaults(path, request, [...known, ...more]),
  );
  return [...unknown, ...cursorFaults(resource), ...logFaults(resource)];
}

function logFaults({ changes, list, deleted, parameters }: PollResource): Fault[] {
  if (changes?.by !== 'log') return [];
  const { request, subscriptions } = changes;
  const faults: [boolean, readonly string[], string][] = [
    [!textOf(request).includes('{cursor}'), ['changes', 'request'], 'must name {cursor}'],
    [list !== undefined, ['list'], 'does not go with a log, which keeps no fingerprints'],
    [deleted !== undefined, ['deleted'], 'does not go with a log, whose entries name deletions'],
    [
      subscriptions !== undefined && !Object.hasOwn(parameters, subscriptions.each),
      ['changes', 'subscriptions', 'each'],
      'is none of the parameters',
    ],
  ];
  return faults.flatMap(([isFault, path, reason]) => (isFault ? [{ path, reason }] : []));
}

function textOf({ path, query, headers, body }: PollRequest): string {
  return JSON.stringify([path, query, headers, body ?? {}]);
}

function requestFaults(path: readonly string[], request: PollRequest, known: readonly string[]): Fault[] {
  const texts: [readonly string[], string][] = [
    [['path'], request.path],
    ...Object.entries(request.query).map(([name, value]): [string[], string] => [['query', name], value]),
    ...Object.entries(request.headers).map(([name, value]): [string[], string] => [['headers', name], value]),
    [['body'], JSON.stringify(request.body ?? {})],
  ];
  const unknown = texts.flatMap(([place, text]) =>
    listPlaceholders(text)
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: [...path, ...place], reason: `names {${name}}, for which there is no value` })),
  );
  if (request.body === undefined || request.method === 'POST') return unknown;
  return [...unknown, { path: [...path, 'body'], reason: 'needs method: POST' }];
}

function cursorFaults({ changes, record }: PollResource): Fault[] {
  if (changes?.by !== 'timestamp') return [];
  const text = textOf(changes.request);
  const faults: [boolean, readonly string[], string][] = [
    [record.updatedAt === undefined, ['record', 'updatedAt'], 'is needed where changes go by timestamp'],
    [
      changes.order !== 'descending' && !listPlaceholders(text).includes('since'),
      ['changes', 'request'],
      'must name {since}, unless the newest change comes first',
    ],
  ];
  return faults.flatMap(([isFault, path, reason]) => (isFault ? [{ path, reason }] : []));
}
