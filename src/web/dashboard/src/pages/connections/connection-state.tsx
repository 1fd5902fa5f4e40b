import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';

/** A connection's state in words: works, its refresh fails for now, or its user must connect again. */
export function ConnectionState({ connection }: { connection: Pick<Connection, 'status' | 'statusReason'> }) {
  const { states } = useTexts().connections;
  if (connection.status === 'reauthorization_required')
    return <StateBadge tone="bad">{states.reauthorization_required}</StateBadge>;
  if (connection.statusReason !== null) return <StateBadge tone="warning">{states.failing}</StateBadge>;
  return <StateBadge tone="good">{states.active}</StateBadge>;
}
