import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';

type Receipt = Schema<'WebhookReceipt'>;

const TONES: Readonly<Record<Receipt['state'], Tone>> = {
  accepted: 'good',
  unmatched: 'warning',
  rejected: 'bad',
  duplicate: 'neutral',
};

export function ReceiptState({ state }: { state: Receipt['state'] }) {
  const { webhooks: texts } = useTexts().events;
  return <StateBadge tone={TONES[state]}>{texts.states[state]}</StateBadge>;
}

/** Why it is in its state, in words, with what likely caused it; nothing for what was accepted. */
export function useReceiptCause() {
  const { causes } = useTexts().events.webhooks;
  return ({ state, reason }: Pick<Receipt, 'state' | 'reason'>) => {
    if (state === 'accepted') return undefined;
    if (state !== 'rejected') return causes[state];
    return Object.entries(causes).find(([code]) => code === reason)?.[1] ?? causes.other;
  };
}
