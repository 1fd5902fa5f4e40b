import { createCancellations, readCallKey } from '../../src/agents/cancellations.ts';
import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';
import { until } from '../support/until.ts';

describe('a call in revision 2025-11-25', () => {
  let stage: AgentStage;
  beforeAll(async () => {
    stage = await startAgentStage();
  });
  afterAll(() => stage.close());

  const post = (message: object, type: string, sessionId: string) =>
    fetch(stage.address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage.project.userToken('mia')}`,
        accept: 'application/json, text/event-stream',
        'content-type': type,
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });

  // A media type with a parameter is none of the usual form: such a message goes through Express and the SDK.
  it.each(['application/json', 'application/json; charset=utf-8'])(
    'ends at the provider when its client cancels it: %s',
    async (type) => {
      stage.seen.length = 0;
      let isLeft = false;
      stage.answerWith({
        body: '',
        onLeft: () => {
          isLeft = true;
        },
      });
      const sessionId = `client..${crypto.randomUUID()}`;
      const input = { name: 'read', arguments: { provider: NOTES, path: '/slow' } };
      const called = post({ id: 7, method: 'tools/call', params: input }, type, sessionId);
      await until(() => stage.seen.length === 1);
      const cancelled = { method: 'notifications/cancelled', params: { requestId: 7 } };
      expect((await post(cancelled, type, sessionId)).status).toBe(202);
      await until(() => isLeft);
      expect(await (await called).json()).toMatchObject({ id: 7, result: { isError: true } });
    },
  );
});

describe('a cancellation', () => {
  const user = { projectId: 'p', subject: 'mia' };
  const key = readCallKey(user, 'session', 1);

  it('is of the calls of its user and session alone, and of their ids as they are written', () => {
    const others = [
      readCallKey({ ...user, subject: 'tom' }, 'session', 1),
      readCallKey({ ...user, projectId: 'q' }, 'session', 1),
      readCallKey(user, 'another', 1),
      readCallKey(user, 'session', '1'),
    ];
    expect(new Set([key, ...others]).size).toBe(5);
    expect([readCallKey(user, undefined, 1), readCallKey(user, 'session', undefined)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('ends a call as long as it is under way', () => {
    const { watch, cancel } = createCancellations();
    const controller = new AbortController();
    const signal = watch(key, controller.signal);
    let ends = 0;
    const end = () => {
      ends += 1;
    };
    signal.addEventListener('abort', end, { once: true });
    cancel(readCallKey(user, 'another', 1));
    cancel(undefined);
    expect(ends).toBe(0);
    cancel(key);
    expect(ends).toBe(1);
    signal.removeEventListener('abort', end);
    cancel(key);
    controller.abort();
    expect(ends).toBe(1);
  });

  it('ends the last call of an id that is used twice, also once the one before it is over', () => {
    const { watch, cancel } = createCancellations();
    const [first, second] = [
      watch(key, new AbortController().signal),
      watch(key, new AbortController().signal),
    ];
    const ended: string[] = [];
    const endFirst = () => ended.push('first');
    first.addEventListener('abort', endFirst, { once: true });
    second.addEventListener('abort', () => ended.push('second'), { once: true });
    first.removeEventListener('abort', endFirst);
    cancel(key);
    expect(ended).toEqual(['second']);
  });
});
