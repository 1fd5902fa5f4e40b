import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';

export type Delivery = Schema<'Delivery'>;
export type DeliveryDetail = Schema<'DeliveryDetail'>;
export type Attempt = Schema<'DeliveryAttempt'>;

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'info',
  delivered: 'good',
  failed: 'warning',
  dead: 'bad',
};

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  const { deliveries: texts } = useTexts().events;
  return (
    <StateBadge tone={TONES[state]} {...(state === 'pending' && { icon: 'clock' as const })}>
      {texts.states[state]}
    </StateBadge>
  );
}
