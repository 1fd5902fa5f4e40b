/** What the tests use of @mailchimp/mailchimp_marketing, which has no declarations. */
type Mailchimp = {
  basePath: string;
  setConfig(config: { readonly accessToken: string; readonly server: string }): void;
  readonly fileManager: { createFolder(folder: { readonly name: string }): Promise<unknown> };
};
declare const shared: Mailchimp & { readonly constructor: new () => Mailchimp };
export default shared;
