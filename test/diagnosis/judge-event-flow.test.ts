import type { EventFlow, PollFact } from '../../src/diagnosis/event-flow.store.ts';
import { judgeEventFlow } from '../../src/diagnosis/judge-event-flow.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const hubspot = builtInCatalog.list().find(({ id }) => id === 'hubspot');
if (hubspot === undefined) throw new Error('The catalog has no HubSpot');

const SCOPES: readonly string[] = ['oauth', 'crm.objects.contacts.read'];
const INTEGRATION = {
  id: 'i1',
  projectId: 'p1',
  serviceProvider: 'hubspot',
  grant: null,
  clientId: 'client',
  scopes: [...SCOPES],
  optionalScopes: [],
};
const POLL: PollFact = {
  pollId: 'poll',
  integrationId: 'i1',
  resource: 'contacts',
  objectType: 'contact',
  isPaused: false,
  someFail: false,
  allFail: false,
};
const FLOW: EventFlow = { polls: [POLL], webhooks: [], failedDestinations: [] };
const failed = [{ id: 'd1', url: 'https://app.example.test/events' }];

const judged = (flow: EventFlow, scopes: readonly string[] = SCOPES) =>
  judgeEventFlow(flow, { ...INTEGRATION, scopes: [...scopes] }, hubspot).map(({ code, severity }) => [
    code,
    severity,
  ]);

describe('the polls, webhooks and destinations of an integration', () => {
  it.each<[string, EventFlow, string[][]]>([
    ['that go well are no finding', FLOW, []],
    [
      'with a poll of which every connection fails are an error',
      { ...FLOW, polls: [{ ...POLL, someFail: true, allFail: true }] },
      [['polls_failing', 'error']],
    ],
    [
      'with a poll of which some connections fail are a warning',
      { ...FLOW, polls: [{ ...POLL, someFail: true }] },
      [['polls_failing', 'warning']],
    ],
    ['do not count a paused poll', { ...FLOW, polls: [{ ...POLL, someFail: true, isPaused: true }] }, []],
    [
      'do not count a poll of another integration',
      { ...FLOW, polls: [{ ...POLL, integrationId: 'i2', someFail: true }], failedDestinations: failed },
      [],
    ],
    [
      'count a destination that took nothing',
      { ...FLOW, failedDestinations: failed },
      [['destinations_failing', 'warning']],
    ],
    [
      'count it for webhooks as well',
      { polls: [], webhooks: [{ integrationId: 'i1', failures: 0 }], failedDestinations: failed },
      [['destinations_failing', 'warning']],
    ],
  ])('%s', (_what, flow, expected) => expect(judged(flow)).toEqual(expected));

  it('say which scope a poll needs that nobody asks for', () => {
    const [finding] = judgeEventFlow(FLOW, { ...INTEGRATION, scopes: ['oauth'] }, hubspot);
    expect(finding).toMatchObject({
      code: 'poll_scope_missing',
      parameters: { scopes: 'crm.objects.contacts.read' },
    });
  });

  it('say nothing of scopes where the integration names none', () => expect(judged(FLOW, [])).toEqual([]));
});
