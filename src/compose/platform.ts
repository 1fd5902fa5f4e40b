import type { Config } from '../config.ts';
import { createRunCheck } from '../diagnosis/bounded-probe.ts';
import { createStoreProbe } from '../http/health.router.ts';
import { createPlatform, type PlatformInput as Platform } from '../platform/create-platform.ts';

export type PlatformInput = Platform & { readonly config: Config };

export type ComposedPlatform = ReturnType<typeof composePlatform>;

/** Builds what every room stands on, with what rooms above the platform watch it by. */
export function composePlatform({ config, ...input }: PlatformInput) {
  const platform = createPlatform({ ...input, settings: config });
  const { kit, parties } = platform;
  const isStoreReady = createStoreProbe(async () => kit.db.raw('SELECT 1'));
  kit.metrics.watchStore(isStoreReady);
  return {
    ...platform,
    runCheck: createRunCheck({ partyOf: (projectId) => parties.partyOf(kit.db, projectId) }),
    isStoreReady,
  };
}
