import { SURFACES } from '../../http/page-style.ts';

type Rgb = readonly [number, number, number];

/** Filled areas and readable text in the brand's colour, for one colour scheme. */
export type BrandShades = {
  readonly brand: string;
  readonly brandInk: string;
  readonly brandHover: string;
  readonly accent: string;
  readonly accentSoft: string;
};

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** WCAG 2.2, 1.4.3. */
const TEXT_CONTRAST_MIN = 4.5;
const STEP = 0.04;

/**
 * Shades of a colour for one scheme. The brand's own colour fills buttons, with black or white on it, whichever can be
 * read better (one of them always can). As text and outline it is darkened, or lightened, until it can be read.
 */
export function chooseShades(color: string, scheme: 'light' | 'dark'): BrandShades {
  const own = rgbOf(color);
  const surface = rgbOf(SURFACES[scheme].surface);
  const accentSoft = mixColors(surface, own, 0.1);
  const grounds = [surface, rgbOf(SURFACES[scheme].ground), accentSoft];
  const isWhiteInk = contrast(own, WHITE) >= contrast(own, BLACK);
  return {
    brand: textOf(own),
    brandInk: textOf(isWhiteInk ? WHITE : BLACK),
    // Away from the ink, so that the words stay readable.
    brandHover: textOf(mixColors(own, isWhiteInk ? BLACK : WHITE, 0.14)),
    accent: textOf(makeReadable(own, grounds, scheme === 'light' ? BLACK : WHITE)),
    accentSoft: textOf(accentSoft),
  };
}

/** The first mixture towards `pole` that can be read on every one of the grounds. */
function makeReadable(color: Rgb, grounds: readonly Rgb[], pole: Rgb): Rgb {
  for (let share = 0; share < 1; share += STEP) {
    const candidate = mixColors(color, pole, share);
    if (grounds.every((ground) => contrast(candidate, ground) >= TEXT_CONTRAST_MIN)) return candidate;
  }
  return pole;
}

/** Contrast ratio of WCAG 2.2, from 1 to 21. */
export function measureContrast(one: string, other: string): number {
  return contrast(rgbOf(one), rgbOf(other));
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG 2.2. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function mixColors(color: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(color[index] * (1 - share) + other[index] * share);
  return [part(0), part(1), part(2)];
}

function rgbOf(text: string): Rgb {
  const part = (start: number) => Number.parseInt(text.slice(start, start + 2), 16);
  return [part(1), part(3), part(5)];
}

function textOf(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
