import { explainAddress } from '../../src/http/explain-address.ts';

describe('an address at which nothing is', () => {
  it.each([
    ['/proxy/hubspot/crm/v3/objects/contacts', '/projects/{projectId}/proxy/{provider}/'],
    ['/projects/01a21a3a-e8f1-7392-9c84-d285eb200231/hubspot/crm', '/projects/{projectId}/proxy/{provider}/'],
    ['/api/v1/integrations', 'begins with /v1/'],
    ['/integrations', 'begins with /v1/'],
  ])('%s is answered with what it may have meant', (path, detail) => {
    expect(explainAddress(path).detail).toContain(detail);
  });

  it.each(['/favicon.ico', '/apiary', '/proxying', '/projects', '/v1/nothing'])(
    '%s is answered with nothing more',
    (path) => {
      expect(explainAddress(path)).toEqual({});
    },
  );
});
