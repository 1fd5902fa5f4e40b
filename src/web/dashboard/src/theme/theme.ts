import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { Texts } from '../texts/area-texts.ts';

const indigo: MantineColorsTuple = [
  '#eef0fe',
  '#dfe2fc',
  '#bfc5f8',
  '#9ca5f4',
  '#7d88ef',
  '#4f5de6',
  '#3b49df',
  '#323fc4',
  '#2b36a8',
  '#232c89',
];

/** Greys of the dark scheme; 7 is the surface, 8 the ground. */
const dark: MantineColorsTuple = [
  '#eceef3',
  '#cfd4de',
  '#a6adbb',
  '#8089a0',
  '#3a4150',
  '#2b303b',
  '#20242d',
  '#181b22',
  '#0f1116',
  '#0a0b0f',
];

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const DIALOG = { title: { fontSize: '1.125rem', fontWeight: 600, lineHeight: 1.3 } };

/** Mantine's part of the look; `tokens.css` has the colours that our own style sheets use. */
const theme = createTheme({
  colors: { indigo, dark },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  fontFamily: FONT,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontFamily: FONT, fontWeight: '600' },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Links and buttons alike: the reset of buttons would make those of links alone bold.
    Button: { defaultProps: { size: 'sm' }, styles: { root: { fontWeight: 550 } } },
    // What is optional says so; the rest is needed.
    InputWrapper: { defaultProps: { withAsterisk: false }, styles: { label: { marginBottom: 4 } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        withArrow: true,
        multiline: true,
        events: { hover: true, focus: true, touch: true },
      },
      // A whole id is wider than a phone.
      styles: {
        tooltip: { width: 'max-content', maxWidth: 'calc(100vw - 1rem)', overflowWrap: 'anywhere' },
      },
    },
    Modal: { defaultProps: { centered: true, radius: 'lg' }, styles: DIALOG },
    Drawer: { styles: DIALOG },
    Menu: { defaultProps: { shadow: 'md', radius: 'md' } },
  },
});

/** The theme, with the words that Mantine's own buttons need. */
export function themeFor({ common }: Texts) {
  const closeButton = { defaultProps: { 'aria-label': common.close } };
  return createTheme({ ...theme, components: { ...theme.components, CloseButton: closeButton } });
}

const SHARED = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
};

/** Mantine's own colours, from the tokens of `tokens.css` in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: SHARED, dark: SHARED });
