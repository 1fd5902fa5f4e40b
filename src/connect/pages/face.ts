import { integrationLogoPath, logoPath } from '../../catalog/loading/logos.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';

/** How an integration shows itself to end users. */
export type Face = { readonly name: string; readonly logo: string };

/** The operator's own name and logo for it, else its provider's. */
export function findFace(
  provider: Pick<Provider, 'id' | 'name'>,
  own: { readonly id: string; readonly name: string | null; readonly logoHash: string | null },
): Face {
  return {
    name: own.name ?? provider.name,
    logo: own.logoHash === null ? logoPath(provider.id) : integrationLogoPath(own.id, own.logoHash),
  };
}
