/** What the promise gives, or `otherwise()` where that takes longer than `limitMs`. The promise goes on. */
export function settleWithin<T, Otherwise>(
  limitMs: number,
  promise: Promise<T>,
  otherwise: () => Otherwise,
): Promise<T | Otherwise> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
