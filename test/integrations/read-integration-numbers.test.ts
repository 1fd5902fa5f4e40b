import { createReadIntegrationNumbers } from '../../src/integrations/read-integration-numbers.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 0, 10);
const PAGE = [
  { id: 'used', projectId: 'project-1' },
  { id: 'connected', projectId: 'project-1' },
  { id: 'new', projectId: 'project-2' },
];

describe('the numbers of integrations', () => {
  it('are zeros where an integration has no connections or no calls', async () => {
    const readNumbers = createReadIntegrationNumbers({
      countConnectionsOf: async () =>
        new Map([
          ['used', { connections: 3, reauthorizationRequired: 1 }],
          ['connected', { connections: 2, reauthorizationRequired: 0 }],
        ]),
      sumCallsOf: async () => new Map([['used', { callsDay: 9, errorsDay: 4, lastCallAt: '2026-01-09' }]]),
      now: () => NOW,
    });
    const noCalls = { callsDay: 0, errorsDay: 0, lastCallAt: null };
    expect([...(await readNumbers(PAGE))]).toEqual([
      [
        'used',
        { connections: 3, reauthorizationRequired: 1, callsDay: 9, errorsDay: 4, lastCallAt: '2026-01-09' },
      ],
      ['connected', { connections: 2, reauthorizationRequired: 0, ...noCalls }],
      ['new', { connections: 0, reauthorizationRequired: 0, ...noCalls }],
    ]);
  });

  it('are read once for a page: of its integrations, each project named once, calls of the last day', async () => {
    const asked: unknown[] = [];
    const readNumbers = createReadIntegrationNumbers({
      countConnectionsOf: async (ids) => {
        asked.push(ids);
        return new Map();
      },
      sumCallsOf: async (filter) => {
        asked.push(filter);
        return new Map();
      },
      now: () => NOW,
    });
    await readNumbers(PAGE);
    const integrationIds = ['used', 'connected', 'new'];
    const projectIds = ['project-1', 'project-2'];
    expect(asked).toEqual([integrationIds, { integrationIds, projectIds, since: new Date(NOW - DAY_MS) }]);
  });
});
