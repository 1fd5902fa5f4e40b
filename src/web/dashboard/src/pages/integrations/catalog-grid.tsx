import { memo, useEffect, useRef, useState } from 'react';
import type { ProviderSummary } from '../../api/catalog.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { HrefLink } from '../../ui/link.tsx';
import { DRAWN_LOGO, type LogoSheet } from '../../ui/logo-sheet.ts';
import { PlainLogo } from '../../ui/provider-mark.tsx';
import styles from './integrations.module.css';
import { hasStanding } from './provider-standing.tsx';

/** Drawn of a list with every step of scrolling: as many as a large screen shows. */
export const STEP = 48;
/** More are drawn before their place comes into view. */
const AHEAD = '600px';

type ProviderGridProps = {
  readonly projectId: string;
  readonly providers: readonly ProviderSummary[];
  /** How many are drawn in one; the rest as it scrolls, or by the button at its end. */
  readonly first: number;
  readonly sheet: LogoSheet;
  readonly keyOf: (provider: ProviderSummary) => string;
  readonly onPoint: (provider: ProviderSummary) => void;
};

/** Drawn again only when other providers are shown, not when another one is pointed at. */
export const ProviderGrid = memo(function ProviderGrid(props: ProviderGridProps) {
  const { projectId, providers, first, sheet, keyOf, onPoint } = props;
  const { integrations: texts } = useTexts();
  const { language } = useLanguage();
  const [count, setCount] = useState(first);
  const end = useRef<HTMLButtonElement>(null);
  const isCut = count < providers.length;
  const drawMore = () => setCount((before) => before + STEP);
  useEffect(() => {
    if (!isCut || end.current === null) return;
    const watcher = new IntersectionObserver(
      // A busy browser brings several notes at once, of which the first may be from before the page was scrolled.
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setCount(count + STEP);
      },
      { rootMargin: AHEAD },
    );
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [isCut, count]);
  return (
    <>
      <ul className={styles.grid}>
        {providers.slice(0, count).map((provider) => (
          <Tile
            key={keyOf(provider)}
            projectId={projectId}
            provider={provider}
            sheet={sheet}
            onPoint={onPoint}
          />
        ))}
      </ul>
      {isCut && (
        <button type="button" ref={end} className={styles.showRest} onClick={drawMore}>
          {texts.catalog.showMore((providers.length - count).toLocaleString(language))}
        </button>
      )}
    </>
  );
});

type TileProps = Pick<ProviderGridProps, 'projectId' | 'sheet' | 'onPoint'> & {
  readonly provider: ProviderSummary;
};

const Tile = memo(function Tile({ projectId, provider, sheet, onPoint }: TileProps) {
  const { integrations: texts } = useTexts();
  return (
    <li>
      <HrefLink
        className={styles.tile}
        href={`/p/${projectId}/integrations/new?provider=${encodeURIComponent(provider.id)}`}
        // Not `onMouseEnter`: the list that moves under a resting mouse, for the keyboard, points at nothing.
        onMouseMove={() => onPoint(provider)}
        onFocus={() => onPoint(provider)}
      >
        <TileLogo provider={provider} sheet={sheet} />
        <span className={styles.tileText}>
          <strong>{provider.name}</strong>
          <span>
            {hasStanding(provider) && <b className={styles.standing}>{texts.status[provider.status]} · </b>}
            {texts.categories[provider.category]} · {texts.auth[provider.auth]}
          </span>
        </span>
      </HrefLink>
    </li>
  );
});

const LOGO_SIZE = 32;

/** From the sheet, where it has the logo: forty pictures of their own cost as much as all the rest of the page. */
function TileLogo({ provider: { id, logoUrl }, sheet }: Pick<TileProps, 'provider' | 'sheet'>) {
  const index = sheet.indexOf(id);
  if (index < 0) return <PlainLogo url={logoUrl} size={LOGO_SIZE} />;
  return <span className={DRAWN_LOGO} style={{ backgroundPosition: `0 ${-index * LOGO_SIZE}px` }} />;
}
