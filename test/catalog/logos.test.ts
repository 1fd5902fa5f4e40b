import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import express from 'express';
import request from 'supertest';
import { type BrandIcon, logosFile } from '../../scripts/generate-logos.ts';
import { sanitizeDrawing } from '../../scripts/logos/sanitize-svg.ts';
import { measurePath } from '../../scripts/path-box.ts';
import {
  logoPath,
  MONOGRAM_COLORS,
  pickInitials,
  readLogos,
  renderLogo,
} from '../../src/catalog/loading/logos.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { measureContrast } from '../../src/connect/pages/brand-shades.ts';
import { createLogosRouter } from '../../src/providers/logos.router.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;
const logos = readLogos();
const app = express().use(createLogosRouter({ catalog }));

/** The logo's text as it is served. */
async function logo(id: string): Promise<string> {
  const { body } = await request(app).get(logoPath(id)).buffer(true).expect(200);
  return String(body);
}

describe('the logo of a provider', () => {
  it('is its icon in the colour of the brand where there is one', async () => {
    expect(await logo('hubspot')).toContain('fill="#ff7a59"');
    expect(await logo('hubspot')).not.toContain('<text');
  });

  it('is a monogram where the package has no icon, or none that is the provider’s', async () => {
    expect(await logo('gorgias')).toMatch(/>Go<\/text>/);
    expect(await logo('kit')).toMatch(/>Ki<\/text>/);
    expect(await logo('fathom')).toMatch(/>Fa<\/text>/);
  });

  it('has its own colours where the brand has several', async () => {
    const colors = new Set((await logo('slack')).match(/fill="#[0-9a-f]{6}"/gi));
    expect(colors.size).toBeGreaterThan(3);
  });

  it('is the same for every product of a brand that has just one', async () => {
    expect(await logo('zoho-crm')).toBe(await logo('zoho-desk'));
  });

  it('is that of a project’s own provider from its id alone, whether there is one or not', async () => {
    expect(await logo('custom:acme-crm')).toMatch(/>AC<\/text>/);
    const { body } = await request(app).get('/logos/custom%3Aacme-crm.svg').buffer(true).expect(200);
    expect(String(body)).toBe(await logo('custom:acme-crm'));
  });

  it('is there for every provider and is one small, harmless picture', () => {
    for (const provider of catalog.list()) {
      const svg = renderLogo(provider, logos);
      const [, content = ''] =
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^<>]+><rect [^<>]+\/>(.*)<\/svg>$/.exec(svg) ?? [];
      const drawing = /^<svg [^<>]+>(.*)<\/svg>$/.exec(content)?.[1] ?? content;
      const isText = /^<text [^<>]+>[\p{L}\p{N}]{1,2}<\/text>$/u.test(drawing);
      expect([provider.id, isText || sanitizeDrawing(drawing)]).toEqual([provider.id, isText || drawing]);
      expect(drawing).not.toBe('');
      expect(svg.length).toBeLessThan(10_000);
    }
  });
});

describe('the answer', () => {
  it('may be kept, may be shown anywhere and may do nothing', async () => {
    const { headers } = await request(app).get('/logos/github.svg').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=604800',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
  });

  it('to HEAD is the same without the picture, and to who has it already 304', async () => {
    const { headers } = await request(app).get('/logos/github.svg').expect(200);
    const head = await request(app).head('/logos/github.svg').expect(200);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    const held = await request(app)
      .get('/logos/github.svg')
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    expect(held.headers.etag).toBe(headers.etag);
    expect(held.headers['content-type']).toBeUndefined();
    await request(app)
      .get('/logos/gitlab.svg')
      .set('If-None-Match', headers.etag ?? '')
      .expect(200);
  });

  it.each([
    'nobody.svg',
    'github',
    'github.png',
    '.svg',
    '__proto__.svg',
    'constructor.svg',
    'custom:.svg',
    'custom:<script>.svg',
    `custom:${'x'.repeat(41)}.svg`,
    '..%2Flogos.svg',
  ])('to %s is not found', async (file) => {
    await request(app)
      .get(`/logos/${encodeURIComponent(file).replace('%252F', '%2F')}`)
      .expect(404);
  });
});

describe('a monogram', () => {
  it.each([
    ['Close', 'Cl'],
    ['PandaDoc', 'PD'],
    ['Constant Contact (v3)', 'CC'],
    ['monday.com', 'Mo'],
    ['Aha!', 'Ah'],
    ['3CX', '3C'],
    ['X', 'X'],
    ['acme-crm', 'AC'],
    ['Émile & Söhne', 'ÉS'],
    ['株式会社', '株式'],
    ['!?', ''],
    ['<b>&', 'B'],
  ])('of %s has the letters %s', (name, letters) => {
    expect(pickInitials(name)).toBe(letters);
  });

  it('can be read on each of its colours (WCAG 2.2, 1.4.3)', () => {
    for (const color of MONOGRAM_COLORS)
      expect(measureContrast(color, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  });

  it('uses all of its colours about equally', () => {
    const colors = catalog
      .list()
      .map(({ id, name }) => /fill="(#[0-9a-f]+)"/.exec(renderLogo({ id, name, icon: 'none' }, logos))?.[1]);
    const counts = Map.groupBy(colors, (color) => color);
    expect(counts.size).toBe(MONOGRAM_COLORS.length);
    for (const same of counts.values()) expect(same.length).toBeLessThan((colors.length / counts.size) * 2);
  });
});

describe('icons', () => {
  const path = 'M0 0h24v24H0z';
  const brands: BrandIcon[] = [
    { title: 'GitHub', slug: 'github', hex: '181717', path, source: 'https://github.com/logos' },
    { title: 'Hive', slug: 'hive', hex: '000000', path, source: 'https://hive.io/brand' },
    {
      title: 'Webex',
      slug: 'webex',
      hex: '000000',
      path,
      source: 'https://webex.com',
      license: { type: 'custom' },
    },
  ];
  const taken = {
    slack: { source: 'logos@1.0.0', icon: 'slack', color: '#000000', viewBox: '0 0 9 9', body: '<g></g>' },
  };
  const made = (fields: Pick<Provider, 'id' | 'name' | 'icon'> & { docsUrl?: string }, checked = {}) =>
    JSON.parse(
      logosFile([fields], {
        current: 'simple-icons@1.0.0',
        brandIcons: brands,
        taken,
        packages: { 'logos@1.0.0': { license: 'CC0-1.0' } },
        checked,
      }),
    );
  const github = { docsUrl: 'https://docs.github.com/rest' };

  it('are found by the file’s word first, then by what was checked, then by name or id at the brand’s own domain', () => {
    expect(made({ id: 'a', name: 'A', icon: 'github' }).providers).toEqual({ a: 'github' });
    expect(made({ id: 'a', name: 'A' }, { a: 'slack' }).providers).toEqual({ a: 'slack' });
    expect(made({ id: 'a', name: 'Git Hub', ...github }).providers).toEqual({ a: 'github' });
    expect(made({ id: 'github', name: 'Octocat', ...github }).providers).toEqual({ github: 'github' });
  });

  it('are not another brand’s of the same name', () => {
    expect(made({ id: 'hive', name: 'Hive', docsUrl: 'https://hive.com/docs' }).providers).toEqual({});
    expect(made({ id: 'hive', name: 'Hive', docsUrl: 'https://hive.io.example' }).providers).toEqual({});
    expect(made({ id: 'github', name: 'GitHub', icon: 'none', ...github }).providers).toEqual({});
    expect(made({ id: 'github', name: 'GitHub', ...github }, { github: 'none' }).providers).toEqual({});
    expect(made({ id: 'slack', name: 'Slack', docsUrl: 'https://slack.com' }).providers).toEqual({});
  });

  it('under a licence of their own are left out', () => {
    const webex = { id: 'webex', name: 'Webex', docsUrl: 'https://developer.webex.com' };
    expect(made(webex)).toMatchObject({ providers: {}, icons: {} });
  });

  it('each come from a package with a free licence, which is named with its author', () => {
    const free = new Set(['CC0-1.0', 'MIT', 'CC-BY-4.0']);
    for (const [slug, { source }] of Object.entries(logos.icons)) {
      const found = logos.packages[source];
      expect([slug, free.has(found?.license ?? '')]).toEqual([slug, true]);
      expect([slug, found?.license === 'CC0-1.0' || found?.by !== undefined]).toEqual([slug, true]);
    }
  });

  it('that were checked are of providers and icons that there are', () => {
    const file = resolve(import.meta.dirname, '../../scripts/logos/checked-icons.json');
    const checked: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
    for (const [id, slug] of Object.entries(checked)) {
      expect([id, catalog.find(id) !== undefined]).toEqual([id, true]);
      expect([id, slug === 'none' ? undefined : slug]).toEqual([id, logos.providers[id]]);
    }
  });

  it('can be seen on their ground', () => {
    for (const icon of Object.values(logos.icons))
      if ('color' in icon) expect(measureContrast(icon.color, icon.ground)).toBeGreaterThanOrEqual(2);
  });

  it('stay inside the tile', () => {
    for (const icon of Object.values(logos.icons)) {
      const { width, height } = 'path' in icon ? measurePath(icon.path) : { width: 24, height: 24 };
      expect(Math.max(width, height) * (icon.scale ?? 1)).toBeLessThan(40);
    }
  });

  it('of a provider file of the operator’s own are those that are at hand, else a monogram', () => {
    expect(renderLogo({ id: 'mine', name: 'Mine', icon: 'github' }, logos)).toBe(
      renderLogo({ id: 'github', name: 'GitHub', icon: undefined }, logos),
    );
    expect(renderLogo({ id: 'mine', name: 'Mine', icon: '__proto__' }, logos)).toContain('>Mi</text>');
  });
});

describe('the size of a path', () => {
  it.each([
    ['M2 3h10v4H2z', 10, 4],
    ['m1 1 4 0 0 2zm1 0h9', 10, 2],
    ['M0 0a2 2 0 012 2', 2, 2],
    ['M.5.5c0-1 2-1 2 0S4.5 2 4.5.5', 4, 2.5],
    ['M1 1L1e1 1Q11 5 12 1T14 1', 13, 4],
  ])('%s is %d by %d', (path, width, height) => {
    const box = measurePath(path);
    expect(box.width).toBeCloseTo(width);
    expect(box.height).toBeCloseTo(height);
  });
});

describe('a drawing of another package', () => {
  it('is taken where it is shapes, gradients and masks of its own', () => {
    const drawing =
      '<defs><linearGradient id="a" x1="0%"><stop offset="0" stop-color="#fff"/></linearGradient></defs><path fill="url(#a)" d="M0 0h1.5-2z"/>';
    expect(sanitizeDrawing(`<!-- made by hand -->${drawing}`)).toBe(drawing);
  });

  it.each([
    '<script>alert(1)</script>',
    '<path d="M0 0" onload="alert(1)"/>',
    '<image href="https://elsewhere.example/x.png"/>',
    '<use href="https://elsewhere.example/x.svg#a"/>',
    '<a href="javascript:alert(1)"><path d="M0 0"/></a>',
    '<foreignObject></foreignObject>',
    '<style>path{fill:red}</style>',
    '<path style="fill:red" d="M0 0"/>',
    '<path fill="url(https://elsewhere.example/#a)" d="M0 0"/>',
    '<path fill="url(#a) url(//elsewhere.example)" d="M0 0"/>',
    '<animate attributeName="href"/>',
    '<path d="M0 0"/> words',
    '<path d=M0/>',
  ])('is refused as %s', (drawing) => {
    expect(sanitizeDrawing(drawing)).toBeUndefined();
  });
});
