import { buildProbe } from '../oauth/probe.ts';
import type { Grants } from './grants.ts';

/** Called where something worked at a provider. */
export type NoteWorked = (projectId: string, provider: string, fact: 'authorization' | 'probe') => void;

/** The grants, and for each that is usable a note that the provider's addresses, or its proof of a credential, work. */
export function noteGrants({ fromTokens, fromCredentials }: Grants, note: NoteWorked): Grants {
  return {
    async fromTokens(target, ...rest) {
      const result = await fromTokens(target, ...rest);
      if (result.ok) note(target.integration.projectId, target.provider.id, 'authorization');
      return result;
    },
    async fromCredentials(target, entered) {
      const result = await fromCredentials(target, entered);
      const isProved = result.ok && buildProbe(target.provider) !== undefined;
      if (isProved) note(target.integration.projectId, target.provider.id, 'probe');
      return result;
    },
  };
}
