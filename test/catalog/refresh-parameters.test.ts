import { builtInCatalog } from '../support/built-in-catalog.ts';

/** Vendors whose documentation, or a client of theirs that runs, sends these with a refresh token. */
it.each([
  // docs.kommo.com, OAuth 2.0
  ['kommo', { redirect_uri: '{redirectUrl}' }],
  // singer-io/tap-eloqua
  ['oracle-eloqua', { redirect_uri: '{redirectUrl}', scope: 'full' }],
  // apidocs.tempo.io, authentication
  ['tempo', { redirect_uri: '{redirectUrl}' }],
  // trakt.docs.apiary.io, refresh_token
  ['trakt', { redirect_uri: '{redirectUrl}' }],
])('%s gets with a refresh what its vendor asks for', (id, parameters) => {
  expect(builtInCatalog.find(id)?.refreshParams).toMatchObject(parameters);
});
