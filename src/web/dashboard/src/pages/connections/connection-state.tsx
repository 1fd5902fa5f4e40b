import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';

type Known = Pick<Connection, 'status' | 'statusReason' | 'lastUsedAt' | 'refreshedAt'>;

/** A connection's state in words: works, was not used yet, its refresh fails for now, or its user must connect again. */
export function ConnectionState({ connection }: { connection: Known }) {
  const { states } = useTexts().connections;
  if (connection.status === 'reauthorization_required')
    return <StateBadge tone="bad">{states.reauthorization_required}</StateBadge>;
  if (connection.statusReason !== null) return <StateBadge tone="warning">{states.failing}</StateBadge>;
  // What has carried no call and was never refreshed has nothing to show that it works.
  if (connection.lastUsedAt === null && connection.refreshedAt === null)
    return <StateBadge tone="neutral">{states.unused}</StateBadge>;
  return <StateBadge tone="good">{states.active}</StateBadge>;
}
