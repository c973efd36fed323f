// Colors and sizes for the elements, the devtools and the sandbox pages, and the elements' common
// style sheet. Each color is a CSS `light-dark()` value. Colors are separate constants, so a bundle
// only includes the ones it uses.

const INK = 'light-dark(#1c1c20,#f1eff4)';
const CARD = 'light-dark(#fff,#1d1c22)';
const ACCENT = 'light-dark(#3346c4,#aab6ff)';
const SUCCESS = 'light-dark(#11703f,#72d79b)';
const WARNING = 'light-dark(#8a5200,#f0bb62)';
const DANGER = 'light-dark(#b3261e,#ffaca3)';
const RETURNED = 'light-dark(#83308f,#e3a6ee)';

/** Corner radius of controls. `ROW` is the row height in the devtools. */
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

/** Condition for browsers that support `light-dark()`. */
const BOTH_SCHEMES = '@supports (color:light-dark(#000,#fff))';

const shadeHalf = (colour: string, half: 0 | 1): string =>
  colour.slice('light-dark('.length, -1).split(',')[half]!;

/**
 * Returns CSS that sets the colors and sizes as custom properties for a selector, such as `:root`.
 * It uses `light-dark()` if the browser supports that, so a page can choose its color scheme.
 */
export function tokensFor(selector: string): string {
  const all = Object.entries(COLOURS);
  const rule = (valueOf: (colour: string) => string): string =>
    `${selector}{${all.map(([name, colour]) => `--${name}:${valueOf(colour)}`).join(';')}}`;
  const sizes = Object.entries(SIZES).map(([name, value]) => `--${name}:${value}`);
  return [
    `${selector}{${sizes.join(';')}}`,
    rule((colour) => shadeHalf(colour, 0)),
    `@media (prefers-color-scheme:dark){${rule((colour) => shadeHalf(colour, 1))}}`,
    `${BOTH_SCHEMES}{${rule((colour) => colour)}}`,
  ].join('\n');
}

const CARD_COLOURS = {
  ink: INK,
  card: CARD,
  accent: ACCENT,
  good: SUCCESS,
  wait: WARNING,
  bad: DANGER,
  back: RETURNED,
} as const;

/** Returns the colors as custom properties for a card. A page can override each of them. */
const coloursBy = (valueOf: (colour: string) => string): string =>
  Object.entries(CARD_COLOURS)
    .map(([name, colour]) => `--${name}:var(--paystate-${name},${valueOf(colour)})`)
    .join(';');

export const coloursFor = (selector: string): string =>
  `${selector}{${coloursBy((colour) => shadeHalf(colour, 0))}}${BOTH_SCHEMES}{${selector}{${coloursBy((colour) => colour)}}}`;

/**
 * Returns the style sheet shared by all elements. Colors are custom properties with defaults for
 * light and dark color schemes. Related rules share a line to reduce the size.
 */
export const baseLook =
  (): string => `:host{display:block}[hidden],:host([hidden]){display:none!important}*{box-sizing:border-box;margin:0}
${coloursFor('[part=card]')}
[part=card]{--tone:var(--accent);--quiet:var(--paystate-muted,color-mix(in srgb,var(--ink) 70%,var(--card)));--line:var(--paystate-line,color-mix(in srgb,var(--ink) 18%,var(--card)));--round:var(--paystate-control-radius,8px);display:flex;flex-wrap:wrap;gap:16px 32px;max-width:44rem;margin:0 auto;padding:clamp(16px,5%,32px);border:1px solid var(--line);border-radius:var(--paystate-radius,16px);background:var(--card);color:var(--ink);font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
[part=amount]{font-size:2.25rem;line-height:1.2}[part=title],[part=amount],[part=headline]{font-weight:650}bdi{unicode-bidi:isolate;white-space:nowrap}dt,details,[part=rate],[part=timer],[part=hint],[part=note]{font-size:.875rem;color:var(--quiet)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}[part=title]{font-size:1rem;outline:0}button,a{display:grid;place-items:center;min-height:44px;padding:8px 16px;border:1px solid var(--quiet);border-radius:var(--round);background:none;color:inherit;font:inherit;font-weight:500;text-decoration:none;text-align:center;cursor:pointer}`;
