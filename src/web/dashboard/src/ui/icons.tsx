import type { SVGProps } from 'react';

/** Shapes on a field of 24 by 24, drawn with one stroke width; a name says what it means on a page. */
const SHAPES = {
  home: 'M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1z',
  integrations: 'M8 4v5M16 4v5M6 9h12v3.5a6 6 0 0 1-12 0zM12 18.5V21',
  connections: 'M9.5 14.5 14.5 9.5M11 7l2-2a4.2 4.2 0 0 1 6 6l-2 2M13 17l-2 2a4.2 4.2 0 0 1-6-6l2-2',
  events: 'M13 3 5 13.5h6L10.5 21 19 10.5h-6.2z',
  calls: 'M4 17V7m5 13V4m5 12V9m5 9V6',
  mandates: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6zM8.800 11.700l2.300 2.300 4.200-4.400',
  approvals: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM8.5 12.2l2.4 2.4 4.6-5',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM20 20l-4.8-4.8',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5 10 17.5 19 7',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  chevronDown: 'M6 9.5l6 6 6-6',
  chevronRight: 'M9.5 6l6 6-6 6',
  chevronsUpDown: 'M8 9.5 12 5.5l4 4M8 14.5l4 4 4-4',
  arrowLeft: 'M19 12H5M11 6l-6 6 6 6',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.6v.2',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.2v.2',
  error: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9 9l6 6M15 9l-6 6',
  ok: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 12.4l2.8 2.8L16 9.6',
  dot: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5.5v13l10.5-6.5z',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.2l3.4 2',
  key: 'M8.5 19a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM11.8 11.5 19.5 4M16 7.5l3 3M13.6 9.8l2 2',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  users:
    'M9 12a3.6 3.6 0 1 0 0-7.2A3.6 3.6 0 0 0 9 12zM2.5 19.5a6.5 6.5 0 0 1 13 0M15.5 5.2a3.6 3.6 0 0 1 0 6.6M18 14.4a6.5 6.5 0 0 1 3.5 5.1',
  signOut: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9.5',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  moon: 'M20 14.2A8.2 8.2 0 0 1 9.8 4 8.2 8.2 0 1 0 20 14.2z',
  monitor: 'M4 5h16v11H4zM9 20h6M12 16v4',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.6 9.5a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.2.9-1.2 1.9M12 16.6v.2',
  book: 'M5 4.5h10.5a3 3 0 0 1 3 3V20H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h10.5',
  code: 'M8.5 7 3.5 12l5 5M15.5 7l5 5-5 5M13.5 5l-3 14',
  keyboard: 'M3 7h18v10H3zM7 10.5v.2M10.5 10.5v.2M14 10.5v.2M17.3 10.5v.2M8 14h8',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8v.1M7.5 16v.1',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 13h8.4L17 7M10.3 10.5v6M13.7 10.5v6',
  edit: 'M4.5 19.5 5.6 15 16 4.6a2 2 0 0 1 2.8 0l.6.6a2 2 0 0 1 0 2.8L9 18.4z',
  filter: 'M4 6h16M7 12h10M10.5 18h3',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.3M20 4.5v4.8h-4.8',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  send: 'M20.5 3.5 10 14M20.5 3.5 14 20.5l-4-6.5-6.5-4z',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6z',
  globe:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3.5 12h17M12 3c2.6 2.5 3.8 5.5 3.8 9s-1.2 6.5-3.8 9c-2.6-2.5-3.8-5.5-3.8-9S9.4 5.5 12 3z',
  mail: 'M3.5 6h17v12h-17zM4 7l8 6 8-6',
  webhook:
    'M12 9a3 3 0 1 0-2.8-4M10.7 8.6 7 15M6.5 20a3 3 0 1 1 1-5.800M7.5 17h8M17.5 20a3 3 0 1 0-2.3-4.900M13.3 8.7 16.6 14.5',
  more: 'M6 12v.1M12 12v.1M18 12v.1',
  activity: 'M3.5 12h4l2.500-7 4 14 2.500-7h4',
  history: 'M4.5 12a7.5 7.5 0 1 0 2.2-5.300L4 9.300M4 4.500v4.800h4.800M12 8v4.500l3 1.8',
} as const;

export type IconName = keyof typeof SHAPES;

type IconProps = SVGProps<SVGSVGElement> & {
  readonly name: IconName;
  /** Pixels. */
  readonly size?: number;
  /** Read out in place of the icon. Left out where words beside it say the same. */
  readonly label?: string;
};

export function Icon({ name, size = 16, label, ...rest }: IconProps) {
  const meaning = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      focusable="false"
      {...meaning}
      {...rest}
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
