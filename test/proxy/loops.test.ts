import { isLoopRefusal } from '../../src/proxy/loops.ts';
import { connectionTo, type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer } from '../support/upstream.ts';

afterEach(closeStage);

/** A gateway whose provider is another gateway's own address; as a project could describe it. */
async function startBefore(next: { readonly port: number }, loopMarks: readonly string[]): Promise<Harness> {
  const gateway = await startHarness({
    upstreamPort: next.port,
    apiBase: { basePath: PREFIX },
    deps: { loopMarks: () => loopMarks },
    // The caller's own token comes back as the credential, so that the next gateway takes it.
    credential: { version: 1, values: { accessToken: USER_TOKEN } },
  });
  closeLater(gateway.close);
  return gateway;
}

describe('a call that comes back to the gateway', () => {
  it('is 508, on the same process', async () => {
    const ports = { port: 0 };
    const gateway = await startHarness({
      upstreamPort: 0,
      deps: {
        loopMarks: () => ['mark-1'],
        resolve: () => ({
          ...connectionTo(ports.port),
          apiBase: { ...connectionTo(ports.port).apiBase, basePath: PREFIX },
        }),
        credential: () => ({ version: 1, values: { accessToken: USER_TOKEN } }),
      },
    });
    closeLater(gateway.close);
    ports.port = gateway.port;
    const answer = await gateway.call('GET', '/x', ['Connection: close, Gateway-Loop']);
    expect(answer.status).toBe(508);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('loop_detected');
    expect(JSON.parse(answer.body).code).toBe('loop_detected');
    await gateway.finished(2);
    expect(gateway.calls.map(({ error, attempts }) => [error, attempts])).toEqual([
      ['loop_detected', 0],
      ['loop_detected', 1],
    ]);
  });

  it('is 508 on another process of the installation, also one with an older key in front', async () => {
    const { upstream, gateway } = await startStage(okAnswer('ok'), {
      deps: { loopMarks: () => ['new', 'old'] },
    });
    const before = await startBefore(gateway, ['old', 'new']);
    expect((await before.call('GET', '/x')).status).toBe(508);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is 508 after a way through the gateway of others', async () => {
    const { upstream, gateway } = await startStage(okAnswer('ok'), { deps: { loopMarks: () => ['ours'] } });
    const others = await startBefore(gateway, ['theirs']);
    const ours = await startBefore(others, ['ours']);
    expect((await ours.call('GET', '/x')).status).toBe(508);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is not assumed where the call only came through other gateways', async () => {
    const { upstream, gateway } = await startStage(okAnswer('ok'), { deps: { loopMarks: () => ['ours'] } });
    const others = await startBefore(gateway, ['theirs']);
    expect((await others.call('GET', '/x')).body).toBe('ok');
    expect(fieldValue(upstream.requests[0]?.fieldLines ?? [], 'gateway-loop')).toBe('theirs, ours');
  });

  it('is given up where the field has grown beyond any sense', async () => {
    const { upstream, gateway } = await startStage(okAnswer('ok'), { deps: { loopMarks: () => ['ours'] } });
    const answer = await gateway.call('GET', '/x', [`Gateway-Loop: ${'other, '.repeat(40)}`]);
    expect(answer.status).toBe(508);
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('an answer of 508', () => {
  it.each([
    [508, ['Gateway-Error', 'loop_detected'], true],
    [508, ['Gateway-Error', 'overloaded'], false],
    [508, [], false],
    [503, ['Gateway-Error', 'loop_detected'], false],
  ])('(%i with %j) is a gateway that the call came back to: %p', (status, fields, expected) => {
    expect(isLoopRefusal(status, fields)).toBe(expected);
  });
});
