import { assertIfMatch, formatEtag, matchesIfNoneMatch } from '../../src/http/conditional.ts';

describe('If-Match', () => {
  it.each([undefined, '*', ' * ', '"7"', '"6", "7"', '"6" , W/"8","7"', '"7.as-it-was-sent"', '"7.1"'])(
    '%s lets version 7 be changed',
    (field) => {
      const headers = field === undefined ? {} : { 'if-match': field };
      expect(() => assertIfMatch({ headers }, formatEtag(7))).not.toThrow();
    },
  );

  it.each(['"6"', 'W/"7"', '7', '', '"77"', '"6", W/"7"', '"6.7"', 'W/"7.1"', '"77.7"', '".7"'])(
    '%s does not',
    (field) => {
      expect(() => assertIfMatch({ headers: { 'if-match': field } }, formatEtag(7))).toThrow(
        expect.objectContaining({ code: 'precondition_failed', headers: { ETag: '"7"' } }),
      );
    },
  );
});

describe('If-None-Match', () => {
  it.each([
    ['"7"', true],
    ['W/"7"', true],
    ['*', true],
    ['"1", "7"', true],
    ['"77"', false],
    ['7', false],
    ['', false],
  ])('%s: %s', (field, matches) => {
    expect(matchesIfNoneMatch({ headers: { 'if-none-match': field } }, formatEtag(7))).toBe(matches);
  });

  it('left out matches nothing', () => {
    expect(matchesIfNoneMatch({ headers: {} }, formatEtag(7))).toBe(false);
  });
});
