import { useQuery } from '@tanstack/react-query';
import { catalogQuery } from '../api/catalog.ts';
import { apiQuery } from '../api/queries.ts';
import { useOptionalProjectId } from '../app/project.ts';
import { useFindProvider, useProviderNames } from '../app/providers.ts';
import styles from './provider-mark.module.css';

const FRESH_MS = 5 * 60_000;

/** All of a provider of the catalog or of the project by its short name; undefined until it is known, or where there is none. */
export function useProvider(id: string | null | undefined) {
  const projectId = useOptionalProjectId();
  const query = useQuery({
    ...apiQuery('/providers/{provider}', {
      path: { provider: id ?? '' },
      query: projectId === undefined ? {} : { projectId },
    }),
    enabled: Boolean(id),
    staleTime: FRESH_MS,
    retry: false,
  });
  return query.data;
}

/** Providers by short name with their names, for fields to choose from; each once, in the order of their names. */
export function useProviderOptions(
  ids: readonly string[],
): { readonly value: string; readonly label: string }[] {
  const nameOf = useProviderNames(ids);
  return [...new Set(ids)]
    .map((value) => ({ value, label: nameOf(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

type ProviderLogoProps = {
  readonly id: string;
  readonly size?: number;
  /** Where it is known; the provider is asked for otherwise. */
  readonly logoUrl?: string;
};

/** The provider's logo, or nothing where it has none. Says nothing by itself: the name stands beside it. */
export function ProviderLogo({ id, size = 20, logoUrl }: ProviderLogoProps) {
  const src = useLogo(id, logoUrl);
  return (
    <span
      className={styles.logo}
      data-foreign={src?.startsWith('http') || undefined}
      style={{ width: size, height: size }}
    >
      {src !== undefined && <LogoImage src={src} size={size} />}
    </span>
  );
}

/** A logo whose address is known, for lists of many. */
export function PlainLogo({ url, size }: { readonly url: string; readonly size: number }) {
  const src = addressOf(url);
  return (
    <span
      className={styles.logo}
      data-foreign={src.startsWith('http') || undefined}
      style={{ width: size, height: size }}
    >
      <LogoImage src={src} size={size} />
    </span>
  );
}

function LogoImage({ src, size }: { readonly src: string; readonly size: number }) {
  return (
    <img
      src={src}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      onError={(event) => {
        event.currentTarget.style.visibility = 'hidden';
      }}
    />
  );
}

/** Where the logo is: in the catalog's file for popular providers. Undefined until that is known, and where there is no such provider. */
function useLogo(id: string, known: string | undefined): string | undefined {
  const catalog = useQuery(catalogQuery);
  const find = useFindProvider(known === undefined ? [id] : []);
  if (catalog.isPending) return undefined;
  const drawn = catalog.data?.logos[id];
  if (drawn !== undefined) return `data:image/svg+xml,${encodeURIComponent(drawn)}`;
  const url = known ?? find(id)?.logoUrl;
  if (url !== undefined) return addressOf(url);
  return catalog.data === undefined ? `/logos/${encodeURIComponent(id)}.svg` : undefined;
}

/** Logo and name of a provider; a long name is cut off in a table, and goes on in the next line elsewhere. */
export function ProviderMark({ id, size = 20 }: { id: string; size?: number }) {
  const name = useProviderName(id);
  return (
    <span className={styles.mark}>
      <ProviderLogo id={id} size={size} />
      <span className={styles.name} title={name}>
        {name}
      </span>
    </span>
  );
}

/** The provider's name; its short name until that is known. */
export function ProviderName({ id }: { id: string }) {
  return <>{useProviderName(id)}</>;
}

/** The same for other components to use in their sentences. */
export function useProviderName(id: string): string {
  return useProviderNames([id])(id);
}

/** The gateway's own logos from this origin, whatever the gateway calls itself. */
function addressOf(url: string): string {
  return /\/logos\/([^/]+\.svg|integrations\/[^/]+\/[^/]+)$/.test(url)
    ? new URL(url, location.origin).pathname
    : url;
}
