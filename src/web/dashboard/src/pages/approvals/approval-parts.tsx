import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { showUnseen } from './show-unseen.ts';

export type Approval = Schema<'Approval'>;

const TONES = {
  pending: 'warning',
  approved: 'info',
  rejected: 'bad',
  expired: 'neutral',
  used: 'good',
} as const;

export function ApprovalState({ approval }: { approval: Approval }) {
  const { approvals: texts } = useTexts();
  return <StateBadge tone={TONES[approval.state]}>{texts.states[approval.state]}</StateBadge>;
}

/** Those who act, the one that calls first, and the client; undefined where the token names none. */
export function nameAsker({ asker }: Approval): string | undefined {
  if (asker === null) return undefined;
  const names = asker.actors.map(({ id, name }) => (name === null ? id : `${name} (${id})`));
  const all = [...names, ...(asker.client === null ? [] : [asker.client])];
  return all.length === 0 ? undefined : showUnseen(all.join(' · '));
}
