import { createAdminApiClient } from '@shopify/admin-api-client';
import Chargebee from 'chargebee';
import QuickBooks from 'node-quickbooks';
import { SquareClient } from 'square';
import Stripe from 'stripe';
import { XeroClient } from 'xero-node';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { basic } from '../provider-apis/parts.ts';
import { bearer, TEXT, type TriedClient } from './tried-client.ts';

const TENANT = '70784a63-d24b-46a9-a4db-0e70a274b056';
const COMPANY = '9130355377388383';

/** Clients of payment, billing, accounting and shop providers. */
export const MONEY: readonly TriedClient[] = [
  {
    client: 'stripe',
    provider: 'stripe-api-key',
    credentials: { apiKey: 'sk_test_stripe' },
    arrivesAs: 'POST api.stripe.com/v1/customers',
    credential: bearer('sk_test_stripe'),
    call: ({ proxyUrl, token }) =>
      new Stripe(token, {
        httpClient: Stripe.createFetchHttpClient(gatewayFetch({ 'https://api.stripe.com': proxyUrl })),
        maxNetworkRetries: 0,
        telemetry: false,
      }).customers.create({ name: TEXT }),
    body: { name: TEXT },
    answer: { body: { id: 'cus_1', object: 'customer', name: TEXT } },
    result: { id: 'cus_1', name: TEXT },
    error: 'StripeAuthenticationError',
  },
  {
    client: 'square',
    provider: 'square',
    credentials: { accessToken: 'square-token' },
    arrivesAs: 'POST connect.squareup.com/v2/customers',
    credential: bearer('square-token'),
    call: ({ proxyUrl, token }) =>
      new SquareClient({ token, baseUrl: proxyUrl }).customers.create({ givenName: TEXT }, { maxRetries: 0 }),
    body: { given_name: TEXT },
    answer: { body: { customer: { id: 'c1', given_name: TEXT } } },
    result: { customer: { id: 'c1', givenName: TEXT } },
    error: 'SquareError',
  },
  {
    client: 'xero-node',
    provider: 'xero',
    credentials: { accessToken: 'xero-token', variables: { tenantId: TENANT } },
    arrivesAs: 'PUT api.xero.com/api.xro/2.0/Contacts',
    credential: bearer('xero-token'),
    call: ({ proxyUrl, token }) => {
      const xero = new XeroClient();
      xero.setTokenSet({ access_token: token });
      xero.accountingApi.basePath = `${proxyUrl}/api.xro/2.0`;
      return xero.accountingApi.createContacts(TENANT, { contacts: [{ name: TEXT }] });
    },
    body: { Contacts: [{ Name: TEXT }] },
    answer: { body: { Contacts: [{ Name: TEXT }] } },
    result: { body: { contacts: [{ name: TEXT }] } },
    error: 'String',
    textOf: String,
  },
  {
    client: 'node-quickbooks',
    provider: 'quickbooks',
    credentials: { accessToken: 'quickbooks-token', variables: { realmId: COMPANY } },
    arrivesAs: `POST quickbooks.api.intuit.com/v3/company/${COMPANY}/customer`,
    credential: bearer('quickbooks-token'),
    call: ({ proxyUrl, token }) => {
      const books = new QuickBooks('', '', token, false, COMPANY, false, false, null, '2.0', '');
      books.endpoint = `${proxyUrl}/v3/company/`;
      return new Promise((resolve, reject) => {
        books.createCustomer({ DisplayName: TEXT }, (error, customer) =>
          error ? reject(error) : resolve(customer),
        );
      });
    },
    body: { DisplayName: TEXT },
    answer: { body: { Customer: { Id: '1', DisplayName: TEXT } } },
    result: { Id: '1', DisplayName: TEXT },
    error: 'AxiosError',
    textOf: ({ response }) => response.data.message,
  },
  {
    client: 'chargebee',
    provider: 'chargebee',
    credentials: { username: 'chargebee-key', variables: { site: 'acme-test' } },
    arrivesAs: 'POST acme-test.chargebee.com/api/v2/customers',
    credential: ['authorization', basic('chargebee-key', '')],
    call: ({ proxyUrl, token }) => {
      const { hostname, port, pathname } = new URL(proxyUrl);
      const settings = { apiKey: token, protocol: 'http' as const, site: hostname, hostSuffix: '' };
      // The client's declarations know two paths only; the client itself takes any.
      Object.assign(settings, { port: Number(port), apiPath: pathname });
      const chargebee = new Chargebee(settings);
      return chargebee.customer.create({ first_name: TEXT });
    },
    body: { first_name: TEXT },
    answer: { body: { customer: { id: 'c1', first_name: TEXT } } },
    result: { customer: { id: 'c1' } },
    error: 'Object',
  },
  {
    client: '@shopify/admin-api-client',
    provider: 'shopify',
    credentials: { accessToken: 'shpat_token', variables: { shop: 'acme-store' } },
    arrivesAs: 'POST acme-store.myshopify.com/admin/api/2026-07/graphql.json',
    credential: ['x-shopify-access-token', 'shpat_token'],
    call: async ({ proxyUrl, token }) => {
      const storeDomain = 'acme-store.myshopify.com';
      const shopify = createAdminApiClient({
        storeDomain,
        apiVersion: '2026-07',
        accessToken: token,
        customFetchApi: gatewayFetch({ [`https://${storeDomain}`]: proxyUrl }),
        logger: () => {},
      });
      const { data, errors } = await shopify.request('{ shop { name } }', { variables: { name: TEXT } });
      if (errors !== undefined) throw errors;
      return data;
    },
    body: { variables: { name: TEXT } },
    answer: { body: { data: { shop: { name: TEXT } } } },
    result: { shop: { name: TEXT } },
    error: 'Object',
    hidesTextOf: ['token_invalid', 'connection_not_found'],
  },
];
