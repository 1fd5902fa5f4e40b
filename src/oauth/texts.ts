/** Every sentence that an end user reads on the hosted pages, in one place. */
export const TEXTS = {
  chooseTitle: 'Connect an account',
  chooseLead: 'Choose the service that you want to connect.',
  chooseEmpty: 'There is nothing to connect yet. Please tell the people who run the application.',
  formTitle: (provider: string) => `Connect ${provider}`,
  formLeadOAuth: (provider: string) =>
    `A few details first. Then ${provider} asks you to sign in and to agree.`,
  formLeadKey: (provider: string) =>
    `Enter the credentials of your ${provider} account. They are stored encrypted.`,
  formLeadClient: (provider: string) =>
    `The application connects to ${provider} with an account of its own. Nobody is asked to sign in.`,
  continue: 'Continue',
  connect: 'Connect',
  apiKey: 'API key',
  username: 'User name',
  password: 'Password',
  example: (example: string) => `For example: ${example}`,
  connectedTitle: 'Connected',
  connectedLead: (provider: string) => `Your ${provider} account is connected. You can close this window.`,
  returningTitle: 'Almost done',
  returningLead: (provider: string) =>
    `Your ${provider} account is ready. The application finishes the connection; if this window stays open, close it.`,
  failedTitle: 'Not connected',
  closeHint: 'You can close this window and try again from the application.',
  fieldRequired: 'Please fill this in.',
  fieldUnusable: 'This has characters that no such credential has. Copy it again, without quotes around it.',
} as const;

/** What went wrong, in plain words, and what to do. The key is the code that the SDK gets. */
const FAILURES: Record<string, (provider: string) => string> = {
  access_denied: (provider) =>
    `${provider} says that access was not granted. Nothing has been connected. If that was a slip, start again and choose “Allow”.`,
  session_expired: () =>
    'This took too long, and the link is no longer valid. Start again from the application.',
  session_used: () =>
    'This link has been used already, or was opened in another browser. Start again from the application.',
  invalid_state: () =>
    'This answer belongs to no authorization under way, or came a second time. Start again from the application.',
  flow_binding_failed: () =>
    'The authorization was started in another browser. For your safety it ends here. Start again from the application, in one browser.',
  invalid_callback: () => 'The answer from the provider is incomplete. Start again from the application.',
  account_mismatch: (provider) =>
    `You signed in to another ${provider} account than the one connected before. Sign in to the same account, or disconnect that one first.`,
  missing_scopes: (provider) =>
    `${provider} granted fewer permissions than the application needs. Start again and leave every permission ticked.`,
  credentials_refused: (provider) =>
    `${provider} does not accept these credentials. Check them and try again.`,
  not_found: () => 'There is no such link. Start again from the application.',
  integration_misconfigured: (provider) =>
    `The application’s set-up for ${provider} is not right (${provider} refuses it). Please tell the people who run the application.`,
  invalid_request: () => 'This request could not be read. Go back, load the page again and try once more.',
  body_too_large: () => 'That is more than fits into this form. Go back and try once more.',
  internal_error: () => 'Something went wrong on our side. Try again in a few minutes.',
  provider_error: (provider) => `${provider} answered with an error. Try again in a few minutes.`,
};

/** The sentence for a failure; an unknown code gets the general one. `provider` is empty where none is concerned. */
export function failureText(code: string, provider: string): string {
  const general = provider === '' ? FAILURES.internal_error : FAILURES.provider_error;
  return (FAILURES[code] ?? general)?.(provider) ?? '';
}
