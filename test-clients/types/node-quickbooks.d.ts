/** What the tests use of node-quickbooks; its own declarations promise a default export that it does not have. */
export default class QuickBooks {
  constructor(
    consumerKey: string,
    consumerSecret: string,
    token: string,
    tokenSecret: false,
    realmId: string,
    useSandbox: boolean,
    debug: boolean,
    minorVersion: number | null,
    oauthVersion: '2.0',
    refreshToken: string,
  );
  endpoint: string;
  createCustomer(
    customer: { readonly DisplayName: string },
    done: (error: unknown, customer: unknown) => void,
  ): void;
}
