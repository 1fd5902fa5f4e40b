import { tenantsPage } from '../../src/connect/pages/tenants-page.ts';
import { EN } from '../../src/connect/texts/en.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const provider = acmeProvider({ tenants: { request: { url: 'https://api.acme.example/sites' }, id: 'id' } });
const tenants = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `t-${index}`,
    name: `Site ${index}`,
    detail: null,
    variables: {},
  }));

const pageOf = (count: number, query = '') =>
  String(
    tenantsPage(
      EN,
      {
        provider,
        logo: '/logos/acme.svg',
        tenants: tenants(count),
        action: '/here',
        query,
        isUnchosen: false,
      },
      'n-1',
    ),
  );

const entriesOf = (page: string) => page.match(/name="tenant"/g)?.length;

describe('the page of tenants', () => {
  it.each([
    [6, false],
    [7, true],
  ])('with %i of them has a search: %p', (count, hasSearch) => {
    expect(pageOf(count).includes('type="search"')).toBe(hasSearch);
  });

  it('holds up to 200, of which the script shows what is searched for', () => {
    expect(entriesOf(pageOf(200, 'Site 7'))).toBe(200);
    expect(pageOf(200)).toContain('nonce="n-1"');
  });

  it('of more holds only the first 200 that are searched for, says so, and leaves the search to the server', () => {
    const whole = pageOf(201);
    expect(entriesOf(whole)).toBe(200);
    expect(whole).toContain(EN.tenants.more(200));
    expect(whole).not.toContain('<script');
    const found = pageOf(201, 'Site 200');
    expect(entriesOf(found)).toBe(1);
    expect(found).not.toContain(EN.tenants.more(1));
  });
});
