import { chooseShades, measureContrast } from '../../../../../../connect/pages/brand-shades.ts';
import { SURFACES } from '../../../../../../http/page-style.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import styles from '../settings.module.css';

/** WCAG 2.2, 1.4.3. */
const TEXT_CONTRAST_MIN = 4.5;
const SCHEMES = ['light', 'dark'] as const;

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Whether the colour can be read as text on the hosted pages, and which shade stands in for it where it cannot. */
export function ColorAdvice({ color }: { color: string }) {
  const { branding: texts } = useTexts().settings;
  const { language } = useLanguage();
  const weak = SCHEMES.map((scheme) => ({
    scheme,
    ratio: measureContrast(color, SURFACES[scheme].surface),
    shade: chooseShades(color, scheme).accent,
  })).filter(({ ratio }) => ratio < TEXT_CONTRAST_MIN);
  if (weak.length === 0) return <StateBadge tone="good">{texts.contrastGood}</StateBadge>;
  return (
    <Notice tone="warning" title={texts.contrastTitle}>
      {weak.map(({ scheme, ratio, shade }) => (
        <span key={scheme} className={styles.advice}>
          {texts.contrastText({
            ratio: ratio.toLocaleString(language, { maximumFractionDigits: 1 }),
            scheme: texts[scheme],
          })}
          <span className={styles.swatches}>
            <Swatch color={color} label={texts.yours} />
            <Swatch color={shade} label={texts.used} />
          </span>
        </span>
      ))}
    </Notice>
  );
}

function Swatch({ color, label }: { color: string; label: string }) {
  return (
    <span className={styles.swatch}>
      <i style={{ background: color }} />
      {label} <code>{color}</code>
    </span>
  );
}
