import { findRegionalTag } from '../../src/web/dashboard/src/texts/regional-tag.ts';

describe('a date of the dashboard', () => {
  it.each([
    ['en', ['en-GB', 'de-DE'], 'en-GB'],
    ['de', ['en-GB', 'de-AT', 'de'], 'de-AT'],
    ['es', ['en-US'], 'es'],
  ])('in %s is written as the region of a browser with %j does', (language, tags, tag) => {
    expect(findRegionalTag(language, tags)).toBe(tag);
  });
});
