import { useTexts } from '../../../texts/texts.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import type { ApiKey } from './api-key.ts';

const SOON_MS = 7 * 24 * 60 * 60 * 1_000;

/** Whether a key works, is used, and for how long. */
export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const { states } = useTexts().settings.apiKeys;
  const leftMs = apiKey.expiresAt === null ? undefined : Date.parse(apiKey.expiresAt) - Date.now();
  if (leftMs !== undefined && leftMs <= 0) return <StateBadge tone="bad">{states.expired}</StateBadge>;
  if (leftMs !== undefined && leftMs < SOON_MS)
    return (
      <StateBadge tone="warning" icon="clock">
        {states.ending}
      </StateBadge>
    );
  if (apiKey.lastUsedAt === null) return <StateBadge tone="neutral">{states.unused}</StateBadge>;
  return <StateBadge tone="good">{states.live}</StateBadge>;
}
