import type { MandatedCall } from './call.ts';
import { compileMandate, type Mandate } from './mandate.ts';
import type { MandatePart, UserMandate } from './user-mandate.ts';

const PROVIDERS_KEPT_MAX = 2_000;

/**
 * Allows reading at every provider, and nothing else. Its entries cannot be listed: there is one for each provider. `because`
 * is the reason that a refusal gives.
 */
export function createReadingMandate(because: string): UserMandate {
  const part = createReadingPart(because);
  return { ids: [part.id], parts: [part] };
}

function createReadingPart(because: string): MandatePart {
  const known = new Map<string, Mandate>();
  const mandateFor = ({ provider }: MandatedCall): Mandate => {
    const found = known.get(provider);
    if (found !== undefined) return found;
    const made = compileMandate([{ type: 'gateway_access', provider, access: 'read', approval: 'none' }]);
    if (known.size >= PROVIDERS_KEPT_MAX) known.clear();
    known.set(provider, made);
    return made;
  };
  return {
    id: 'read-only',
    mandate: {
      decide: (call, isLeft, reading) => mandateFor(call).decide(call, isLeft, reading),
      explain: (call) => mandateFor(call).explain(call),
    },
    isOfAnyProvider: true,
    because,
    entries: [],
    limits: [],
  };
}
