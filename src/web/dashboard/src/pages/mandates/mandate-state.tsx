import { useTexts } from '../../texts/texts.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import type { Mandate } from './mandate.ts';

export function MandateState({ state }: Pick<Mandate, 'state'>) {
  const { mandates: texts } = useTexts();
  return (
    <StateBadge tone={state === 'active' ? 'good' : 'info'} icon={state === 'active' ? 'ok' : 'pause'}>
      {texts.states[state]}
    </StateBadge>
  );
}
