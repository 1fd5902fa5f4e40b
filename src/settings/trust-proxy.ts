import { isIP } from 'node:net';
import { ConfigurationError } from './configuration-error.ts';

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** A hop count, or a comma-separated list of addresses and CIDR ranges (or Express's named ranges). */
export function trustProxyFrom(text: string | undefined): number | string[] | false {
  if (text === undefined || text === 'false') return false;
  if (/^\d+$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every((range) => NAMED_RANGES.has(range) || isAddressRange(range))) return ranges;
  throw new ConfigurationError(
    'TRUST_PROXY: a hop count, or a comma-separated list of addresses or CIDR ranges',
  );
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
