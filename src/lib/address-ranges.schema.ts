import { z } from 'zod';
import { normalizeRange } from './address-ranges.ts';

const RANGES_MAX = 32;
/** The longest IPv6 address in any notation, and its prefix length. */
const RANGE_LENGTH_MAX = 49;

const range = z
  .string()
  .max(RANGE_LENGTH_MAX)
  .transform((text, context) => {
    const normalized = normalizeRange(text.trim());
    if (normalized !== undefined) return normalized;
    context.addIssue({
      code: 'custom',
      message: 'Must be an IPv4 or IPv6 range such as 192.0.2.0/24 or 2001:db8::/32, or one address',
    });
    return z.NEVER;
  });

/** Ranges of addresses as they are asked for: each once, in their one notation. */
export const allowedAddressesInput = z
  .array(range)
  .min(1)
  .max(RANGES_MAX)
  .transform((ranges) => [...new Set(ranges)])
  .meta({
    description:
      'CIDR ranges from which it may be used, by the address of the caller as TRUST_PROXY says; elsewhere it is refused with `address_not_allowed`. `0.0.0.0/0` is all of IPv4 alone, and `::/0` all of IPv6.',
  });

export const allowedAddressesOutput = z
  .array(z.string())
  .nullable()
  .meta({ description: 'The ranges from which it may be used, normalized; null: from anywhere.' });
