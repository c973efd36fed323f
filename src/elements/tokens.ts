/** The colours of every page that people see: in light, and in dark. */
const COLOURS = {
  page: ['#f6f6f8', '#131316'],
  surface: ['#ffffff', '#1a1a1e'],
  raised: ['#ffffff', '#232329'],
  ink: ['#1c1c20', '#f1eff4'],
  muted: ['#5c5b66', '#a8a6b2'],
  line: ['#e1e0e6', '#33323b'],
  control: ['#85838f', '#7d7b88'],
  accent: ['#3346c4', '#aab6ff'],
  'on-accent': ['#ffffff', '#14182e'],
  tint: ['#eceef9', '#262838'],
  success: ['#11703f', '#72d79b'],
  'success-tint': ['#e6f4ec', '#16291f'],
  warning: ['#8a5200', '#f0bb62'],
  'warning-tint': ['#fbf1e0', '#2c2413'],
  danger: ['#b3261e', '#ffaca3'],
  'danger-tint': ['#fcecea', '#321b19'],
} as const;

const SIZES = {
  radius: '8px',
  'radius-panel': '12px',
  'radius-card': '16px',
  row: '28px',
  sans: 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif',
  mono: 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace',
} as const;

/**
 * The tokens as custom properties of a selector, such as `:root`; with `light-dark()` where the
 * engine has it, so that a page that chooses its own scheme is followed.
 */
export function tokensFor(selector: string): string {
  const all = Object.entries(COLOURS);
  const rule = (valueOf: (pair: readonly [string, string]) => string): string =>
    `${selector}{${all.map(([name, pair]) => `--${name}:${valueOf(pair)}`).join(';')}}`;
  const sizes = Object.entries(SIZES).map(([name, value]) => `--${name}:${value}`);
  return [
    `${selector}{${sizes.join(';')}}`,
    rule(([light]) => light),
    `@media (prefers-color-scheme:dark){${rule(([, dark]) => dark)}}`,
    `@supports (color:light-dark(#000,#fff)){${rule(([light, dark]) => `light-dark(${light},${dark})`)}}`,
  ].join('\n');
}
