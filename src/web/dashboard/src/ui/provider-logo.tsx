import styles from './provider.module.css';

/** A provider's logo on a light ground, since many are drawn for one; beside its name, so nothing is read out. */
export function ProviderLogo({ url, size = 32 }: { url: string | undefined; size?: number }) {
  return (
    <span className={styles.logo} style={{ width: size, height: size }}>
      {url !== undefined && <img src={url} alt="" width={size * 0.62} height={size * 0.62} loading="lazy" />}
    </span>
  );
}
