import type { components } from '../../../../../../clients/node/src/api.ts';
import type { ProviderSummary } from '../../api/catalog.ts';
import type { ShownState } from './state.ts';

export type ListedIntegration = components['schemas']['ListedIntegration'];

/** An integration as the list shows it. */
export type Row = {
  readonly integration: ListedIntegration;
  /** Undefined until the catalog is loaded, or where it has no such provider any more. */
  readonly provider: ProviderSummary | undefined;
  readonly name: string;
  /** Undefined until it is known. */
  readonly state: ShownState | undefined;
};

/** The integration's own logo, else its provider's, for `ProviderLogo`. */
export function findLogo(
  { logoUrl }: Pick<ListedIntegration, 'logoUrl'>,
  provider: Pick<ProviderSummary, 'logoUrl'> | undefined,
): { readonly logoUrl?: string } {
  const shown = logoUrl ?? provider?.logoUrl;
  return shown === undefined ? {} : { logoUrl: shown };
}
