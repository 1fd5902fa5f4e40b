/** What is wrong with a provider file, and in which of its fields. */
export type Fault = { readonly path: readonly PropertyKey[]; readonly reason: string };

export function fault(path: readonly PropertyKey[], reason: string): Fault {
  return { path, reason };
}
