import {
  ACCENT,
  BOTH_SCHEMES,
  CARD,
  DANGER,
  halfOf,
  INK,
  RETURNED,
  SUCCESS,
  WARNING,
} from './tokens.ts';

const COLOURS = {
  ink: INK,
  card: CARD,
  accent: ACCENT,
  good: SUCCESS,
  wait: WARNING,
  bad: DANGER,
  back: RETURNED,
} as const;

/** The colours as properties of a card; a page's own come first. */
const coloursBy = (valueOf: (colour: string) => string): string =>
  Object.entries(COLOURS)
    .map(([name, colour]) => `--${name}:var(--paystate-${name},${valueOf(colour)})`)
    .join(';');

/** The colours for a selector, for each engine. */
export const coloursFor = (selector: string): string =>
  `${selector}{${coloursBy((colour) => halfOf(colour, 0))}}${BOTH_SCHEMES}{${selector}{${coloursBy((colour) => colour)}}}`;

/**
 * Returns the style sheet of all elements, as text: colours are custom properties with defaults for light and
 * dark. Rules that belong together share a line, because every line break is loaded by every page.
 */
export const baseLook =
  (): string => `:host{display:block}[hidden],:host([hidden]){display:none!important}*{box-sizing:border-box;margin:0}
${coloursFor('[part=card]')}
[part=card]{--tone:var(--accent);--quiet:var(--paystate-muted,color-mix(in srgb,var(--ink) 70%,var(--card)));--line:var(--paystate-line,color-mix(in srgb,var(--ink) 18%,var(--card)));--round:var(--paystate-control-radius,8px);display:flex;flex-wrap:wrap;gap:16px 32px;max-width:44rem;margin:0 auto;padding:clamp(16px,5%,32px);border:1px solid var(--line);border-radius:var(--paystate-radius,16px);background:var(--card);color:var(--ink);font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
[part=title]{font-size:1rem;outline:0}[part=amount]{font-size:2.25rem;line-height:1.2}[part=title],[part=amount],[part=headline]{font-weight:650}bdi{unicode-bidi:isolate;white-space:nowrap}dt,[part=rate],[part=timer],[part=note]{font-size:.875rem;color:var(--quiet)}
button,a{display:grid;place-items:center;min-height:44px;padding:8px 16px;border:1px solid var(--quiet);border-radius:var(--round);background:none;color:inherit;font:inherit;font-weight:500;text-decoration:none;text-align:center;cursor:pointer}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;
