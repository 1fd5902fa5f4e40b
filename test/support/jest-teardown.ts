/** Stops what jest-setup.ts started, in its order. */
export default async function globalTeardown(): Promise<void> {
  const { gatewayTestCleanUps } = globalThis as { gatewayTestCleanUps?: Array<() => Promise<void>> };
  for (const cleanUp of gatewayTestCleanUps ?? []) await cleanUp();
}
