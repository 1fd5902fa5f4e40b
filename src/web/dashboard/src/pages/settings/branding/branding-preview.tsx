import { SegmentedControl, useComputedColorScheme } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Section } from '../../../ui/page.tsx';
import styles from '../settings.module.css';
import type { Project } from '../use-project.ts';
import type { BrandingValues } from './branding-values.ts';
import { isColor } from './color-advice.tsx';

const PAGES = ['choose', 'connected', 'failed'] as const;
type Page = (typeof PAGES)[number];
const TYPING_PAUSE_MS = 400;

type PreviewProps = {
  readonly project: Project;
  readonly values: BrandingValues;
};

/** The hosted page itself, in a frame without scripts or forms, with what stands in the form. */
export function BrandingPreview({ project, values }: PreviewProps) {
  const { settings, frame } = useTexts();
  const { branding: texts } = settings;
  const own = useComputedColorScheme('light');
  const [page, setPage] = useState<Page>('choose');
  const [chosen, setChosen] = useState<'light' | 'dark'>();
  const scheme = chosen ?? own;
  const address = usePreviewAddress(project, values, page);
  return (
    <Section title={texts.preview} lead={texts.previewLead}>
      <div className={styles.previewBar}>
        <SegmentedControl
          size="xs"
          aria-label={texts.previewPage}
          value={page}
          onChange={(value) => setPage(value)}
          data={PAGES.map((value) => ({ value, label: texts.previewPages[value] }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={texts.previewScheme}
          value={scheme}
          onChange={(value) => setChosen(value)}
          data={(['light', 'dark'] as const).map((value) => ({ value, label: frame[value] }))}
        />
      </div>
      <iframe
        key={scheme}
        title={texts.previewFrame}
        className={styles.frame}
        // The frame's scheme is what `prefers-color-scheme` says within it (CSS Color Adjustment 1, section 2.4).
        style={{ colorScheme: scheme }}
        src={address}
        // Its own origin, for the logos; no scripts, no forms, no windows.
        sandbox="allow-same-origin"
        tabIndex={-1}
      />
    </Section>
  );
}

/** Follows the form after a pause in typing; what cannot be shown yet (half a colour) is left out. */
function usePreviewAddress(project: Project, values: BrandingValues, page: Page): string {
  const { language } = useLanguage();
  const [{ displayName, logoUrl, color }] = useDebouncedValue(values, TYPING_PAUSE_MS);
  const query = new URLSearchParams({
    page,
    locale: language,
    displayName: displayName.trim() || project.name,
    ...(isLogo(logoUrl) && { logoUrl: logoUrl.trim() }),
    ...(isColor(color) && { color }),
  });
  return `/v1/projects/${project.id}/branding/preview?${query}`;
}

function isLogo(text: string): boolean {
  const url = URL.parse(text.trim());
  return url?.protocol === 'https:' && /^[a-z0-9._-]+$/.test(url.hostname) && url.hash === '';
}
