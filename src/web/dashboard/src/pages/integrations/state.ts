import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { FINDING_TONES, type useFindingTexts } from '../../ui/finding-list.tsx';
import type { Tone } from '../../ui/state-badge.tsx';

export type IntegrationState = components['schemas']['IntegrationStates']['states'][number];
export type IntegrationNumbers = components['schemas']['IntegrationNumbers'];

export type ShownState = {
  readonly tone: Tone;
  readonly words: string;
  /** For the filter of the list. */
  readonly group: 'attention' | 'fine' | 'unchecked';
};

/** The one sentence that says how an integration does: the worst of what is known, what users noticed first. */
export function findState(
  state: IntegrationState | undefined,
  { numbers, disabled }: Pick<components['schemas']['ListedIntegration'], 'numbers' | 'disabled'>,
  texts: Texts['integrations'],
  findingTexts: ReturnType<typeof useFindingTexts>,
): ShownState {
  if (disabled !== null) return { tone: 'warning', words: texts.state.off, group: 'attention' };
  const finding = state?.finding ?? null;
  const words = finding === null ? '' : findingTexts(finding).title;
  if (finding?.severity === 'error') return { tone: 'bad', words, group: 'attention' };
  const failed = state?.failedUsers ?? 0;
  if (failed > 0) return { tone: 'warning', words: texts.state.failedUsers(failed), group: 'attention' };
  if (finding?.severity === 'warning') return { tone: 'warning', words, group: 'attention' };
  const waiting = numbers?.reauthorizationRequired ?? 0;
  if (waiting > 0) return { tone: 'warning', words: texts.state.reauthorize(waiting), group: 'attention' };
  // Nothing can be asked about a client: only a call shows that such an integration works.
  const isUnproven = finding?.code === 'client_not_needed' && numbers?.lastCallAt == null;
  if (isUnproven) return { tone: 'neutral', words: texts.state.unused, group: 'unchecked' };
  if (finding === null) return { tone: 'neutral', words: texts.state.unchecked, group: 'unchecked' };
  if (finding.severity === 'info') return { tone: FINDING_TONES.info, words, group: 'fine' };
  return { tone: 'good', words: texts.state.works, group: 'fine' };
}
