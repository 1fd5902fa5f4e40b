import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Integration } from '../integrations/integration.ts';
import { missingPollScopes } from '../integrations/missing-poll-scopes.ts';
import type { EventFlow, PollFact } from './event-flow.store.ts';
import { createFinding, type Finding } from './finding.ts';

const NAMED_MAX = 5;

type Asked = Pick<Integration, 'id' | 'scopes' | 'optionalScopes'>;

/** Findings of an integration's polls, and of the destinations that its events go to. Pure. */
export function judgeEventFlow(flow: EventFlow, integration: Asked, provider: Provider): Finding[] {
  const polls = flow.polls.filter(
    ({ integrationId, isPaused }) => integrationId === integration.id && !isPaused,
  );
  const hasEvents =
    polls.length > 0 || flow.webhooks.some(({ integrationId }) => integrationId === integration.id);
  return [
    ...judgePolls(polls, provider),
    ...judgeScopes(polls, integration, provider),
    ...(hasEvents ? judgeDestinations(flow) : []),
  ];
}

function judgePolls(polls: readonly PollFact[], { name }: Provider): Finding[] {
  const failing = polls.filter(({ someFail }) => someFail);
  if (failing.length === 0) return [];
  const objects = namesOf(failing.map(({ objectType }) => objectType));
  const severity = failing.some(({ allFail }) => allFail) ? 'error' : 'warning';
  return [
    createFinding('polls_failing', { provider: name, count: String(failing.length), objects }, { severity }),
  ];
}

function judgeScopes(polls: readonly PollFact[], integration: Asked, provider: Provider): Finding[] {
  const missing = new Set(
    polls.flatMap(({ resource }) => missingPollScopes(provider, integration, resource)),
  );
  if (missing.size === 0) return [];
  return [createFinding('poll_scope_missing', { provider: provider.name, scopes: [...missing].join(', ') })];
}

function judgeDestinations({ failedDestinations }: EventFlow): Finding[] {
  if (failedDestinations.length === 0) return [];
  const hosts = namesOf(failedDestinations.map(({ url }) => URL.parse(url)?.host ?? url));
  return [createFinding('destinations_failing', { count: String(failedDestinations.length), hosts })];
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].slice(0, NAMED_MAX).join(', ');
}
