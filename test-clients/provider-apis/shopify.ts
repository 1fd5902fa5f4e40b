import { authorizedByHeader, readJson, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'shpat_shopify-token';
export const SHOP = 'acme-store';
export const API_VERSION = '2026-07';
const PRODUCTS = Array.from({ length: 5 }, (_, index) => ({ id: `gid://shopify/Product/${index}` }));

let isBusy = true;

/** A header of its own, a host for every shop, GraphQL with failures under status 200, a busy answer to repeat. */
export const shopify: TriedProvider = {
  id: 'shopify',
  credentials: { accessToken: TOKEN, variables: { shop: SHOP } },
  apisAt: () => [api],
};

const api: ProviderApi = {
  host: `${SHOP}.myshopify.com`,
  isAuthorized: authorizedByHeader('x-shopify-access-token', TOKEN),
  unauthorized: { status: 401, body: { errors: '[API] Invalid API key or access token' } },
  notFound: { status: 404, body: { errors: 'Not Found' } },
  routes: { [`POST /admin/api/${API_VERSION}/graphql.json`]: answer },
};

function answer(call: ApiCall): ApiAnswer {
  const { query, variables } = readJson(call);
  if (query.includes('products')) return { body: { data: { products: productPage(variables) } } };
  if (query.includes('productCreate')) {
    return { body: { data: { productCreate: { product: variables.product, userErrors: [] } } } };
  }
  if (query.includes('shop') && isBusy) {
    isBusy = false;
    return { status: 429, headers: { 'retry-after': '1' }, body: { errors: 'Too Many Requests' } };
  }
  if (query.includes('shop')) return { body: { data: { shop: { name: 'Acme' } } } };
  const errors = [{ message: "Field 'orderz' doesn't exist", extensions: { code: 'undefinedField' } }];
  return { body: { errors } };
}

function productPage({ first, after }: { first: number; after?: string | null }) {
  const { page, next } = readPage(PRODUCTS, Number(after ?? 0), first);
  const pageInfo = { hasNextPage: next !== undefined, endCursor: next === undefined ? null : String(next) };
  return { nodes: page, pageInfo };
}
