import { buildLocation } from '../../src/http/location.ts';

const KEYS = 'https://gateway.example/v1/projects/p/api-keys';

describe('the Location of what was made', () => {
  it.each([
    ['lies beneath the address that was posted to', KEYS, undefined, { id: 'k' }, `${KEYS}/k`],
    ['is free of the query', `${KEYS}?dryRun=false`, undefined, { id: 'k' }, `${KEYS}/k`],
    ['is the address itself where nothing has an id', KEYS, undefined, { token: 't' }, KEYS],
    ['is the address itself without a body', KEYS, undefined, undefined, KEYS],
    [
      'is what the operation says',
      KEYS,
      'https://gateway.example/v1/x/1',
      { id: 'k' },
      'https://gateway.example/v1/x/1',
    ],
    ['may be said relative to the address', `${KEYS}/old/rotate`, '../new', { id: 'new' }, `${KEYS}/new`],
  ])('%s', (_title, target, given, body, expected) => {
    expect(buildLocation(target, given, body)).toBe(expected);
  });
});
