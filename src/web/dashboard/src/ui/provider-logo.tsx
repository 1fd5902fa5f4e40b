import styles from './ui.module.css';

/** A provider's picture, for beside its name. `logoUrl` where it is known; the catalog's own otherwise. */
export function ProviderLogo(props: { provider: string; size?: number; logoUrl?: string }) {
  const { provider, size = 24, logoUrl = `/logos/${encodeURIComponent(provider)}.svg` } = props;
  return <img className={styles.logo} src={logoUrl} width={size} height={size} alt="" loading="lazy" />;
}
