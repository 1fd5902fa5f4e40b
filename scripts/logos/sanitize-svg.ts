/** What a drawing is made of. No text, picture, style sheet, script, link or animation. */
const ELEMENTS = new Set(
  `path g circle ellipse rect polygon polyline line defs linearGradient radialGradient stop clipPath mask`.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  `d points x y x1 x2 y1 y2 cx cy r rx ry fx fy width height fill fill-rule fill-opacity clip-rule clip-path clipPathUnits
  mask maskUnits opacity stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity transform id
  offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod`.split(/\s+/),
);
/** Numbers, names, colours, functions of transforms; nothing that could be a quotation mark or an address. */
const VALUE = /^[\w\s.,#%()+-]*$/;
const TAG = /<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;

/** The drawing again, of nothing but known elements and attributes; undefined where it has anything else. */
export function sanitizeDrawing(body: string): string | undefined {
  const source = body.replace(/<!--[\s\S]*?-->/g, '');
  if (source.replace(TAG, '').trim() !== '') return undefined;
  const parts: string[] = [];
  for (const [, close = '', name = '', attributes = '', end = ''] of source.matchAll(TAG)) {
    const kept = ELEMENTS.has(name) ? keepAttributes(attributes) : undefined;
    if (kept === undefined) return undefined;
    parts.push(close === '/' ? `</${name}>` : `<${name}${kept}${end}>`);
  }
  return parts.join('');
}

function keepAttributes(attributes: string): string | undefined {
  let kept = '';
  for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
    if (!ATTRIBUTES.has(name) || !VALUE.test(value)) return undefined;
    const isElsewhere = /url\(/.test(value.replace(/url\(#[\w.-]+\)/g, ''));
    if (isElsewhere) return undefined;
    kept += ` ${name}="${value.replace(/\s+/g, ' ').trim()}"`;
  }
  return kept;
}
