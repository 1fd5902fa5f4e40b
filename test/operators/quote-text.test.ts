import { quoteText } from '../../src/operators/accounts/quote-text.ts';

describe('a name that a person has chosen, in a mail of the gateway', () => {
  it.each([
    ['Shop', '“Shop”'],
    ['Müller & Söhne 2.0', '“Müller & Söhne 2 0”'],
    ['商店 no. 1', '“商店 no. 1”'],
    ['pay at https://evil.example/now', '“pay at https evil example/now”'],
    ['www.evil.example', '“www evil example”'],
    ['mail help@evil.example', '“mail help evil example”'],
    ['tel:+1555', '“tel +1555”'],
    ['evil。example', '“evil example”'],
    ['evil．example', '“evil example”'],
    ['one\r\nBcc: other@evil.example', '“one Bcc other evil example”'],
    ['\u202eelpmaxe.live\u200b', '“elpmaxe live”'],
    ['end”. Your account is "suspended"', "“end'. Your account is 'suspended'”"],
    ['x'.repeat(100), `“${'x'.repeat(40)}…”`],
    ['😀'.repeat(41), `“${'😀'.repeat(40)}…”`],
  ])('%j is quoted, on one line, short, and no link', (name, quoted) => {
    expect(quoteText(name)).toBe(quoted);
  });
});
