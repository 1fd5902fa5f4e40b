import type { Kit } from '../platform/kit.ts';
import { measureClockSkew } from '../platform/postgres/clock.ts';
import type { Observations } from './create-observations.ts';
import type { Surroundings } from './judge-environment.ts';

export type FindProjectRules = (
  projectId: string,
) => Promise<{ allowedOrigins: readonly string[]; returnUrls: readonly string[] } | undefined>;

/** Reads what a project allows and how the gateway is reached, with what this process has just observed. */
export function createReadEnvironment(
  deps: Pick<Kit, 'db' | 'now' | 'publicUrl'> & {
    readonly observations: Pick<Observations, 'flush' | 'store'>;
    readonly findProjectRules: FindProjectRules;
  },
) {
  const { db, now, publicUrl, observations } = deps;
  return async (projectId: string): Promise<Surroundings> => {
    await observations.flush();
    const [rules, noticed, isOnlyProject, clockSkewMs] = await Promise.all([
      deps.findProjectRules(projectId),
      observations.store.listFor(projectId),
      observations.store.isOnlyProjectOfGateway(),
      measureClockSkew(db, now),
    ]);
    const { allowedOrigins = [], returnUrls = [] } = rules ?? {};
    const project = { allowedOrigins, returnUrls, isOnlyProject };
    return { publicUrl, ...project, noticed, clockSkewMs, nowMs: now() };
  };
}
