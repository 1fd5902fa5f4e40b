import { describeRefusal, pauseAfter } from '../../src/polls/pages/poll-failure.ts';

const secondsAfter = (status: number, retryAfter: string | undefined, failures: number) => {
  const answer = { status, headers: { 'retry-after': retryAfter }, body: Buffer.from('{}') };
  return pauseAfter(describeRefusal(answer, []), failures, 0.5).afterSeconds;
};

describe('the pause of a poll after a refusal', () => {
  it.each([
    ['as long as a provider that is down asks for', 503, '120', 0, 120.5],
    ['an hour at most', 503, '86400', 0, 3_600],
    ['no less than usual where it fails again and again', 503, '1', 3, 120],
    ['as usual where it asks for nothing', 502, undefined, 1, 30],
    ['as usual where it asks in words', 503, 'soon', 1, 30],
    ['as usual where the request is refused', 404, '600', 0, 15],
  ])('is %s', (_, status, retryAfter, failures, seconds) => {
    expect(secondsAfter(status, retryAfter, failures)).toBe(seconds);
  });
});
