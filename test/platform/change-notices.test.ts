import { createChanges, type Notice } from '../../src/platform/change-notices.ts';

const PROJECT = '0192f0c8-0000-7000-8000-000000000001';
const ROW = '0192f0c8-0000-7000-8000-000000000002';
const USER = '0192f0c8-0000-7000-8000-000000000003';

/** Changes with two caches; `heard` is what they were called with, in order. */
function start() {
  const changes = createChanges();
  const heard: string[] = [];
  const notices: Notice[] = [];
  changes.subscribe({
    changed: (notice) => notices.push(notice),
    markAllStale: () => heard.push('first: stale'),
    setHasNotices: (value) => heard.push(`first: ${value}`),
  });
  changes.subscribe({
    changed: ({ table }) => heard.push(`second: ${table}`),
    markAllStale: () => heard.push('second: stale'),
  });
  return { changes, heard, notices };
}

describe('notices of changes', () => {
  it('reach every cache that has subscribed', () => {
    const { changes, heard, notices } = start();
    changes.announce({ table: 'connections', projectId: PROJECT, rowId: ROW });
    expect(notices).toEqual([{ table: 'connections', projectId: PROJECT, rowId: ROW }]);
    expect(heard).toEqual(['second: connections']);
  });

  it.each<[payload: string, notice: Notice]>([
    [`projects ${PROJECT}`, { table: 'projects', projectId: PROJECT }],
    [`integrations ${PROJECT} ${ROW}`, { table: 'integrations', projectId: PROJECT, rowId: ROW }],
    [
      `connections ${PROJECT} ${ROW} ${USER}`,
      { table: 'connections', projectId: PROJECT, rowId: ROW, endUserId: USER },
    ],
  ])('of other processes name the row: %s', (payload, notice) => {
    const { changes, notices } = start();
    changes.handleNotification(payload);
    expect(notices).toEqual([notice]);
  });

  it.each([
    ['of other rooms', `jobs ${PROJECT}`],
    ['without a project', 'projects'],
    ['that are empty', ''],
  ])('%s reach no cache', (_which, payload) => {
    const { changes, heard, notices } = start();
    changes.handleNotification(payload);
    expect([heard, notices]).toEqual([[], []]);
  });

  it.each([
    ['are lost', 'handleNoticesLost', false],
    ['are back', 'handleNoticesRestored', true],
  ] as const)('that %s make every cache stale once it knows', (_what, handle, value) => {
    const { changes, heard } = start();
    changes[handle]();
    expect(heard).toEqual([`first: ${value}`, 'first: stale', 'second: stale']);
  });
});
