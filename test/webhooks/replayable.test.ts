import { VERIFIED_REASONS } from '../../src/webhooks/message/verified-reasons.ts';
import { isReplayable } from '../../src/webhooks/receipts/replayable.ts';

describe('a receipt is replayable', () => {
  const rejected = (reason: string | null) => ({ state: 'rejected', reason, isBodyCut: false });

  it.each([...VERIFIED_REASONS])('where it was verified and then rejected: %s', (reason) => {
    expect(isReplayable(rejected(reason))).toBe(true);
    expect(isReplayable({ ...rejected(reason), isBodyCut: true })).toBe(false);
  });

  it.each(['handshake_not_awaited', 'signature_missing', 'malformed', 'a reason of tomorrow', null])(
    'not where nothing shows that it was verified: %s',
    (reason) => {
      expect(isReplayable(rejected(reason))).toBe(false);
    },
  );

  it('where it was accepted, matched or not', () => {
    for (const state of ['accepted', 'unmatched', 'duplicate'])
      expect(isReplayable({ state, reason: null, isBodyCut: false })).toBe(true);
  });
});
