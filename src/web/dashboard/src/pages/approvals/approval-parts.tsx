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

/** Method and path of what is asked; when it has ended, the path is erased. */
export function nameCall({ method, call }: Approval, { erasedCall }: { erasedCall: string }): string {
  return `${method} ${call === null ? erasedCall : showUnseen(call.path || '/')}`;
}

/** Those who act, the one that calls first, the client, and what it calls itself; undefined where nothing names any. */
export function nameAsker(
  { asker }: Approval,
  { declared }: { declared: (name: string) => string },
): string | undefined {
  if (asker === null) return undefined;
  const { actors, client, declaredClient } = asker;
  const all = [
    ...actors.map(({ id, name }) => (name === null ? id : `${name} (${id})`)),
    ...(client === null ? [] : [client]),
    ...(declaredClient === null ? [] : [declared(declaredClient)]),
  ];
  return all.length === 0 ? undefined : showUnseen(all.join(' · '));
}
