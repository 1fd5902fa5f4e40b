import { readTraceId } from '../../src/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    `00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-00`,
    `cc-${TRACE}-${PARENT}-01-what-comes-later`,
  ])('%s tells the trace', (field) => {
    expect(readTraceId(field)).toBe(TRACE);
  });

  it.each([
    undefined,
    '',
    ['00', '01'],
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01 `,
    `00-${TRACE}\n-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-${'x'.repeat(300)}`,
  ])('%j is not valid', (field) => {
    expect(readTraceId(field)).toBeUndefined();
  });
});
