export type * from './api.ts';
export { createGatewayClient, type GatewayClient, type GatewayClientOptions } from './client.ts';
export { GatewayError } from './errors.ts';
export { type SignUserTokenInput, signUserToken, type UserTokenAlgorithm } from './sign-user-token.ts';
