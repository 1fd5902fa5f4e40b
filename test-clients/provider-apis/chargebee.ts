import { authorizedBy, basic, limitedOnce, readForm, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const KEY = 'chargebee_api_key';
const CUSTOMERS = Array.from({ length: 3 }, (_, index) => ({ customer: { id: `customer-${index}` } }));

/** Basic with the key as user name, a host for every site, forms with keys in brackets, offsets. */
export const chargebee: TriedProvider = {
  id: 'chargebee',
  credentials: { username: KEY, variables: { site: 'acme-test' } },
  apisAt: () => [api],
};

const failure = (status: number, type: string, code: string, param?: string): ApiAnswer => ({
  status,
  body: { message: code, type, api_error_code: code, ...(param && { param }) },
});

const api: ProviderApi = {
  host: 'acme-test.chargebee.com',
  isAuthorized: authorizedBy(basic(KEY, '')),
  unauthorized: failure(401, 'operation_failed', 'api_authentication_failed'),
  notFound: failure(404, 'invalid_request', 'resource_not_found'),
  routes: {
    'GET /api/v2/customers': listCustomers,
    'POST /api/v2/customers': createCustomer,
    'GET /api/v2/customers/customer-1': limitedOnce(
      {
        ...failure(429, 'operation_failed', 'api_request_limit_exceeded'),
        headers: { 'retry-after': '1' },
      },
      () => ({ body: CUSTOMERS[1] }),
    ),
  },
};

function listCustomers({ query }: ApiCall): ApiAnswer {
  const { page, next } = readPage(CUSTOMERS, Number(query.get('offset') ?? 0), Number(query.get('limit')));
  return { body: { list: page, ...(next !== undefined && { next_offset: String(next) }) } };
}

function createCustomer(call: ApiCall): ApiAnswer {
  const form = readForm(call);
  const email = form.get('email');
  if (!email?.includes('@')) return failure(400, 'invalid_request', 'param_wrong_value', 'email');
  const address = { line1: form.get('billing_address[line1]') };
  return { body: { customer: { id: 'customer-3', email, billing_address: address } } };
}
