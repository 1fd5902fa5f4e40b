import type { CallArguments, Operation, PathOf, ResultOf } from '../../../../../clients/node/src/calls.ts';
import { request, requestWithEtag } from './client.ts';
import { findStatus } from './problem.ts';

/** A thing that is read and changed at the same path. */
export type Changeable = PathOf<'get'> & PathOf<'patch'>;
export type ThingOf<P extends Changeable> = ResultOf<Operation<'get', P>>;
export type ChangeOf<P extends Changeable> = CallArguments<Operation<'patch', P>>[0] extends infer Parts
  ? NonNullable<Parts> extends { readonly body?: infer Body }
    ? Body
    : never
  : never;

/** Another operator changed what a form changes too, since it was filled. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
  /** Fills the form with what is there now; what the operator changed in it is lost. */
  readonly loadAgain: () => void;

  constructor(loadAgain: () => void) {
    super('Changed by somebody else meanwhile');
    this.loadAgain = loadAgain;
  }
}

/** Others that change one thing faster than it is read and written are few. */
const TRIES_MAX = 5;

/**
 * Changes a thing as it is at that time: `build` gets what is there and gives what is sent, again where another change
 * came between the two.
 */
export async function changeCurrent<P extends Changeable>(
  template: P,
  path: Readonly<Record<string, string>>,
  build: (now: ThingOf<P>) => ChangeOf<P>,
): Promise<ResultOf<Operation<'patch', P>>> {
  for (let tries = 1; ; tries += 1) {
    const { value, etag } = await requestWithEtag<ThingOf<P>>('GET', template, { path });
    const parts = { path, header: { 'If-Match': etag }, body: build(value) };
    try {
      return await request('PATCH', template, parts);
    } catch (error) {
      if (findStatus(error) !== 412 || tries === TRIES_MAX) throw error;
    }
  }
}

/**
 * What is there now with what the operator changed since the form was filled; undefined where another operator changed the
 * same to something else.
 */
export function mergeEdit<V extends object>(filled: V, wanted: V, now: V): V | undefined {
  const merged: V = { ...now };
  for (const name of new Set([...keysOf(filled), ...keysOf(wanted)])) {
    if (isEqual(filled[name], wanted[name])) continue;
    const isTaken = !isEqual(now[name], filled[name]) && !isEqual(now[name], wanted[name]);
    if (isTaken) return undefined;
    merged[name] = wanted[name];
  }
  return merged;
}

const keysOf = <V extends object>(value: V) => Object.keys(value) as (keyof V)[];

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
