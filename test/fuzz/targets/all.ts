import { type BoundTarget, bindTarget } from '../engine/fuzz.ts';
import { callbackTarget } from './callback.ts';
import { httpTarget } from './http.ts';
import { jwtTarget } from './jwt.ts';
import { mcpTarget } from './mcp.ts';
import { providerTarget } from './provider.ts';
import { webhookTarget } from './webhook.ts';

/** Every kind of input of strangers, by the names that `npm run fuzz -- --target` takes. */
export const TARGETS: readonly BoundTarget[] = [
  bindTarget(httpTarget),
  bindTarget(jwtTarget),
  bindTarget(callbackTarget),
  bindTarget(providerTarget),
  bindTarget(webhookTarget),
  bindTarget(mcpTarget),
];
