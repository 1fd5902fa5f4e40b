import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const ENDED = {
  id: 'acme',
  name: 'Acme',
  auth: 'basic',
  apiBaseUrl: 'https://api.acme.example',
  status: 'ended',
};
const load = (file: object, isNew = true) => providerFromFile(file, { allowPrivateNetworks: false, isNew });

describe('a provider that has ended', () => {
  it('is refused without the date of its end, and taken with one', () => {
    expect(load(ENDED)).toEqual({
      ok: false,
      faults: [{ path: ['statusDate'], reason: expect.stringContaining('needed by status: ended') }],
    });
    expect(load({ ...ENDED, statusDate: '2026-08' })).toMatchObject({ ok: true });
  });

  it('goes on loading without one where it was taken before', () => {
    expect(load(ENDED, false)).toMatchObject({ ok: true });
  });

  it('has a date in the built-in catalog', () => {
    const ended = builtInCatalog.list().filter(({ status }) => status === 'ended');
    expect(ended).not.toHaveLength(0);
    expect(ended.filter(({ statusDate }) => statusDate === undefined)).toEqual([]);
  });
});
