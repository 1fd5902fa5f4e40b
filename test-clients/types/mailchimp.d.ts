/** What the tests use of @mailchimp/mailchimp_marketing, which has no declarations. */
declare const client: {
  basePath: string;
  setConfig(config: { readonly accessToken: string; readonly server: string }): void;
  readonly fileManager: { createFolder(folder: { readonly name: string }): Promise<unknown> };
};
export default client;
