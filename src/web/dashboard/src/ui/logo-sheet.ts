import { useInsertionEffect, useMemo } from 'react';
import styles from './provider-mark.module.css';

/** The side of every logo's own field. */
const FIELD = 40;

/** Many logos as one picture: a browser makes a document of each SVG picture, which costs as much as the rest of a tile. */
export type LogoSheet = { readonly url: string; readonly indexOf: (id: string) => number };

/** Of an element that shows one of them. */
export const DRAWN_LOGO = styles.drawn ?? '';

/** Draws these logos, by id, and gives them to the elements of the page that show one. */
export function useLogoSheet(logos: Readonly<Record<string, string>>): LogoSheet {
  const sheet = useMemo(() => drawSheet(logos), [logos]);
  useInsertionEffect(() => {
    const rules = new CSSStyleSheet();
    // One rule: so long an address in the style of each element is read forty times.
    rules.insertRule(`.${DRAWN_LOGO} { background-image: url("${sheet.url}"); }`);
    document.adoptedStyleSheets.push(rules);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== rules);
    };
  }, [sheet]);
  return sheet;
}

/** Below each other. */
function drawSheet(logos: Readonly<Record<string, string>>): LogoSheet {
  const ids = Object.keys(logos);
  const parts = Object.values(logos).map((logo, index) =>
    nameApart(logo, index).replace('<svg ', `<svg y="${index * FIELD}" `),
  );
  const height = ids.length * FIELD;
  const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${FIELD}" height="${height}">${parts.join('')}</svg>`;
  const places = new Map(ids.map((id, index) => [id, index]));
  return {
    url: `data:image/svg+xml,${encodeURIComponent(sheet)}`,
    indexOf: (id) => places.get(id) ?? -1,
  };
}

/** Gradients and masks have names, which are those of the document. */
function nameApart(logo: string, index: number): string {
  return logo.replace(/( id="|url\(#|href="#)/g, `$1logo${index}-`);
}
