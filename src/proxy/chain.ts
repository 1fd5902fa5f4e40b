import type { MaybePromise } from './contract.ts';

/** Continues at once with a value, later with a promise: a warm call stays without promises. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Any thenable counts: a promise of another realm is no `instanceof Promise`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
