import { isRecord } from '../../lib/is-record.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

/** What code of another language leaves behind where a value was copied out of it. */
const LEFTOVERS: readonly (readonly [RegExp, string])[] = [
  [/\$\{/, 'holds a dollar sign before a brace: write {name} alone'],
  [/\}\s*\|\|\s|\s\|\|\s*\{/, 'holds ||, which is sent as it stands: use a variable with a default'],
];
/** Values that have to be fresh in every authorization, or that the gateway itself makes. */
const FRESH: Readonly<Record<string, string>> = {
  nonce: 'must be fresh in every request: write {nonce}',
  state: 'is made by the gateway',
};

/** Faults that come from copying a description out of other code: they load, and what is sent is nonsense. */
export function transcriptionFaults(file: ProviderFile): Fault[] {
  const { notes: _notes, quirks: _quirks, setupSteps: _steps, grants: _grants, ...sent } = file;
  return [...leftoverFaults(sent, []), ...constantFaults(file)];
}

function leftoverFaults(value: unknown, path: readonly (string | number)[]): Fault[] {
  if (typeof value === 'string') {
    const found = LEFTOVERS.find(([pattern]) => pattern.test(value));
    return found === undefined ? [] : [{ path: [...path], reason: found[1] }];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => leftoverFaults(one, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => leftoverFaults(one, [...path, name]));
}

function constantFaults({ authorizationParams }: Pick<ProviderFile, 'authorizationParams'>): Fault[] {
  return Object.entries(FRESH)
    .filter(([name]) => Object.hasOwn(authorizationParams, name))
    .filter(([name]) => name === 'state' || !authorizationParams[name]?.includes('{'))
    .map(([name, reason]) => ({ path: ['authorizationParams', name], reason }));
}
