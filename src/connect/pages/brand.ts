import { html, raw, type SafeHtml } from '../../http/html.ts';
import { type BrandShades, chooseShades } from './brand-shades.ts';

/** Whose pages these are, as the project says. */
export type Brand = {
  readonly name: string;
  readonly logoUrl: string | undefined;
  /** `#rrggbb` */
  readonly color: string | undefined;
};

/** The style element that puts the brand's colour in place of the gateway's; nothing where it has none. */
export function brandStyle({ color }: Brand, nonce: string): SafeHtml | undefined {
  // Checked again where it becomes style: nothing but a colour may stand here.
  if (color === undefined || !/^#[0-9a-f]{6}$/i.test(color)) return undefined;
  const light = declarations(chooseShades(color, 'light'));
  const dark = declarations(chooseShades(color, 'dark'));
  return html`<style nonce="${nonce}">${raw(`:root { ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }`)}</style>`;
}

function declarations({ brand, brandInk, brandHover, accent, accentSoft }: BrandShades): string {
  return `--brand: ${brand}; --brand-ink: ${brandInk}; --brand-hover: ${brandHover}; --accent: ${accent}; --accent-soft: ${accentSoft};`;
}

/** The line above the page's main part. The name stands beside the logo, which therefore says nothing itself. */
export function brandBanner({ name, logoUrl }: Brand): SafeHtml {
  return html`${logoUrl && html`<img src="${logoUrl}" alt="" referrerpolicy="no-referrer">`}<span>${name}</span>`;
}

/** The origin that the page must be allowed to load the logo from. */
export function findLogoOrigin({ logoUrl }: Brand): string | undefined {
  return logoUrl === undefined ? undefined : URL.parse(logoUrl)?.origin;
}
