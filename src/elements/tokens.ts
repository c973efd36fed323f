// The colours and sizes of everything that people see: elements, devtools, the sandbox's page and the stage. Each is a
// constant of its own, so that a page carries only those that it uses. A colour is written as CSS: light, then dark.

export const INK = 'light-dark(#1c1c20,#f1eff4)';
export const CARD = 'light-dark(#fff,#1d1c22)';
export const ACCENT = 'light-dark(#3346c4,#aab6ff)';
export const SUCCESS = 'light-dark(#11703f,#72d79b)';
export const WARNING = 'light-dark(#8a5200,#f0bb62)';
export const DANGER = 'light-dark(#b3261e,#ffaca3)';
export const RETURNED = 'light-dark(#83308f,#e3a6ee)';

/** Controls and rows in panels that are as dense as the devtools. */
export const RADIUS = '8px';
export const ROW = '28px';

const COLOURS = {
  page: 'light-dark(#f6f6f8,#131316)',
  surface: 'light-dark(#fff,#1a1a1e)',
  raised: 'light-dark(#fff,#232329)',
  ink: INK,
  muted: 'light-dark(#5c5b66,#a8a6b2)',
  line: 'light-dark(#e1e0e6,#33323b)',
  control: 'light-dark(#85838f,#7d7b88)',
  accent: ACCENT,
  'on-accent': 'light-dark(#fff,#14182e)',
  tint: 'light-dark(#eceef9,#262838)',
  success: SUCCESS,
  'success-tint': 'light-dark(#e6f4ec,#16291f)',
  warning: WARNING,
  'warning-tint': 'light-dark(#fbf1e0,#2c2413)',
  danger: DANGER,
  'danger-tint': 'light-dark(#fcecea,#321b19)',
} as const;

const SIZES = {
  radius: RADIUS,
  'radius-panel': '12px',
  'radius-card': '16px',
  row: ROW,
  sans: 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif',
  mono: 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace',
} as const;

/** Begins a rule for engines that know colours with two halves. */
export const BOTH_SCHEMES = '@supports (color:light-dark(#000,#fff))';

/** The light or the dark half of a colour. */
export const halfOf = (colour: string, half: 0 | 1): string =>
  colour.slice('light-dark('.length, -1).split(',')[half]!;

/**
 * The tokens as custom properties of a selector, such as `:root`; with `light-dark()` where the
 * engine has it, so that a page that chooses its own scheme is followed.
 */
export function tokensFor(selector: string): string {
  const all = Object.entries(COLOURS);
  const rule = (valueOf: (colour: string) => string): string =>
    `${selector}{${all.map(([name, colour]) => `--${name}:${valueOf(colour)}`).join(';')}}`;
  const sizes = Object.entries(SIZES).map(([name, value]) => `--${name}:${value}`);
  return [
    `${selector}{${sizes.join(';')}}`,
    rule((colour) => halfOf(colour, 0)),
    `@media (prefers-color-scheme:dark){${rule((colour) => halfOf(colour, 1))}}`,
    `${BOTH_SCHEMES}{${rule((colour) => colour)}}`,
  ].join('\n');
}
