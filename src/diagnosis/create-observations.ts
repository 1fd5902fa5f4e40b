import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Kit } from '../platform/kit.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createExplainConnectFailure } from './explain-connect-failure.ts';
import { createReadContext } from './integration-context.ts';
import { createNoticedFaultsStore } from './observed-faults.store.ts';
import { createNoticedFaults } from './observed-faults.ts';
import { createProviderEvidenceStore } from './provider-evidence.store.ts';
import { createProviderEvidence } from './provider-evidence.ts';

export type Observations = ReturnType<typeof createObservations>;

/** Builds what other rooms report to the diagnosis, and ask of it. */
export function createObservations(
  input: Pick<Kit, 'db' | 'publicUrl'> & {
    readonly providers: NamedProviders;
    readonly integrations: IntegrationsStore;
  },
) {
  const { db, integrations } = input;
  const store = createNoticedFaultsStore({ db });
  const contextOf = createReadContext(input);
  const evidenceStore = createProviderEvidenceStore({ db });
  const {
    noteWorked,
    flush: flushEvidence,
    chore,
  } = createProviderEvidence({ ...input, store: evidenceStore });
  const faults = createNoticedFaults({ store });
  return {
    store,
    evidence: { store: evidenceStore, flush: flushEvidence },
    noteWorked,
    contextOf,
    explainConnectFailure: createExplainConnectFailure({
      contextOf,
      findIntegration: (id, projectId) => integrations.find(db, id, [projectId]),
    }),
    ...faults,
    chores: [...faults.chores, chore],
  };
}
