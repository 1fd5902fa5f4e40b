import { cutText } from '../../src/lib/storable-text.ts';

test.each([
  ['short', 5, 'short'],
  ['longer', 4, 'long'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀', 3, 'ab'],
  ['ab😀c', 4, 'ab😀'],
  ['', 3, ''],
])('%j has %d characters at most, and no half of one', (text, lengthMax, cut) => {
  expect(cutText(text, lengthMax)).toBe(cut);
});
