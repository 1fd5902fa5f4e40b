import fc from 'fast-check';
import { removeSecrets } from '../../src/lib/remove-secrets.ts';
import { listDisguises } from '../support/leaks.ts';

const secret = fc.string({ unit: 'grapheme', minLength: 12, maxLength: 300 });
const AROUND = '\u2502 said \u2502';

describe('removal of secrets from a text', () => {
  it('leaves no secret in any form in which servers repeat it', () => {
    fc.assert(
      fc.property(secret, (value) => {
        for (const form of listDisguises(value)) {
          const cleaned = removeSecrets(`${AROUND}${form}${AROUND}`, [value]);
          expect(cleaned).toContain('[removed]');
          expect(cleaned.replace('[removed]', '')).not.toContain(form);
        }
      }),
    );
  });

  it.each([
    ['with lower-case octets', 'pass+word/one', 'pass%2bword%2fone'],
    ['as a form has it', 'pass word!one', 'pass+word%21one'],
    ['escaped for HTML', `pass'word&<one>`, 'pass&#39;word&amp;&lt;one&gt;'],
    ['with slashes escaped', 'pass/word/one', 'pass\\/word\\/one'],
    ['in upper-case hexadecimal', 'password!', '70617373776F726421'],
    ['alone in base64, to its end', 'ada:password', 'YWRhOnBhc3N3b3Jk'],
    ['alone in base64 with its padding', 'ada:password!', 'YWRhOnBhc3N3b3JkIQ=='],
    ['without the space around it', ' password one\n', 'password one'],
  ])('finds one %s', (_how, value, form) => {
    expect(removeSecrets(`refused: ${form}.`, [value])).toBe('refused: [removed].');
  });

  it('takes away a secret that is cut off, from sixteen characters on', () => {
    const value = 'abcdefghijklmnopqrstuvwxyz';
    expect(removeSecrets(`Bad key ${value.slice(0, 20)}... and so on`, [value])).toBe(
      'Bad key [removed]... and so on',
    );
    expect(removeSecrets('The alphabet begins with abcdef', [value])).toBe('The alphabet begins with abcdef');
  });

  it('takes away each of two secrets where one holds the other', () => {
    const [short, long] = ['inner-secret', 'outer-inner-secret-outer'];
    expect(removeSecrets(`${short} and ${long}`, [short, long])).toBe('[removed] and [removed]');
  });

  it('leaves a text alone that holds no secret, and takes no words apart for what is too short to be one', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(removeSecrets(text, [null, undefined, '', 'a', 'pin', '\ud83d\udd11-never-in-ascii'])).toBe(
          text,
        );
      }),
    );
  });
});
