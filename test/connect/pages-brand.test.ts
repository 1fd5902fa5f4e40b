import fc from 'fast-check';
import { brandBanner, brandStyle, findLogoOrigin } from '../../src/connect/pages/brand.ts';
import { chooseShades, measureContrast } from '../../src/connect/pages/brand-shades.ts';
import { SURFACES } from '../../src/http/page-style.ts';

const colors = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);

describe('the shades of a brand’s colour', () => {
  it('can be read whatever the colour, in both schemes (WCAG 2.2, 1.4.3)', () => {
    fc.assert(
      fc.property(colors, fc.constantFrom('light', 'dark'), (color, scheme) => {
        const { brand, brandInk, brandHover, accent, accentSoft } = chooseShades(color, scheme);
        const { ground, surface } = SURFACES[scheme];
        const pairs = [
          [brandInk, brand],
          [brandInk, brandHover],
          [accent, surface],
          [accent, ground],
          [accent, accentSoft],
        ] as const;
        for (const [one, other] of pairs) expect(measureContrast(one, other)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('keep the colour itself where it can be read', () => {
    expect(chooseShades('#0b5cad', 'light')).toMatchObject({
      brand: '#0b5cad',
      accent: '#0b5cad',
      brandInk: '#ffffff',
    });
    expect(chooseShades('#FFD400', 'dark')).toMatchObject({
      brand: '#ffd400',
      accent: '#ffd400',
      brandInk: '#000000',
    });
  });

  it('measure contrast as the guidelines do', () => {
    expect(measureContrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(measureContrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });
});

describe('what the pages show of a brand', () => {
  const brand = { name: 'A <b> & Co', logoUrl: undefined, color: undefined };

  it('is its name as text and its logo without alternative text', () => {
    expect(brandBanner(brand).toString()).toBe('<span>A &lt;b&gt; &amp; Co</span>');
    const withLogo = { ...brand, logoUrl: 'https://cdn.example:8443/a.svg?x="1"' };
    expect(brandBanner(withLogo).toString()).toContain(
      'src="https://cdn.example:8443/a.svg?x=&quot;1&quot;" alt=""',
    );
    expect(findLogoOrigin(withLogo)).toBe('https://cdn.example:8443');
    expect(findLogoOrigin(brand)).toBeUndefined();
  });

  it('is no style but that of a colour', () => {
    expect(brandStyle({ ...brand, color: '#112233' }, 'n')?.toString()).toContain('--brand: #112233');
    expect(brandStyle({ ...brand, color: 'red;}</style><script>' }, 'n')).toBeUndefined();
    expect(brandStyle(brand, 'n')).toBeUndefined();
  });
});
