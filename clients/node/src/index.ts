export type * from './api.ts';
export {
  type CreateUserTokenInput,
  createGatewayClient,
  type GatewayClient,
  type GatewayClientOptions,
} from './client.ts';
export { GatewayError } from './errors.ts';
export type { StreamEventsInput } from './events.ts';
export {
  type ExchangedUserToken,
  type ExchangeUserTokenInput,
  exchangeUserToken,
} from './exchange-user-token.ts';
export { type SignUserTokenInput, signUserToken, type UserTokenAlgorithm } from './sign-user-token.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookFault,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhooks.ts';
