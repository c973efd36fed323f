import { ACCENT, CARD, DANGER, INK, RETURNED, SUCCESS, WARNING } from './tokens.ts';

/**
 * Style sheet of the elements, as text: colours are custom properties with defaults for light and
 * dark.
 */
export const LOOK: string = `:host{display:block}
[hidden],:host([hidden]),[part=tabs]:empty{display:none!important}
*{box-sizing:border-box;margin:0}
[part=card]{--ink:var(--paystate-ink,${INK});--card:var(--paystate-card,${CARD});--accent:var(--paystate-accent,${ACCENT});--good:var(--paystate-good,${SUCCESS});--wait:var(--paystate-wait,${WARNING});--bad:var(--paystate-bad,${DANGER});--back:var(--paystate-back,${RETURNED});--tone:var(--accent);--quiet:color-mix(in srgb,var(--ink) 70%,var(--card));--line:color-mix(in srgb,var(--ink) 20%,var(--card));position:relative;display:flex;flex-wrap:wrap;gap:1rem 2rem;max-width:44rem;margin:.8rem auto;padding:clamp(1.25rem,4vw,2rem);border:1px solid var(--line);border-radius:var(--paystate-radius,1rem);background:var(--card);color:var(--ink);font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
[data-phase^=p]{--tone:var(--wait)}
[data-phase=paid]{--tone:var(--good)}
[data-phase=failed],[data-phase=unsafe]{--tone:var(--bad)}
[data-phase=cancelled],[data-phase=unknown]{--tone:var(--quiet)}
[data-phase=reversed]{--tone:var(--back)}
[part=ribbon]{position:absolute;inset:0 0 auto;width:fit-content;margin:auto;padding:0 .8rem;border-radius:.6rem;background:var(--wait);color:var(--card);translate:0 -50%}
[part=bill]{flex:1 15rem}
[part=title]{min-height:1.45em;font-size:1.1rem;outline:0}
[part=amount]{min-height:1.2em;font-size:2.2rem;line-height:1.2}
[part=title],[part=amount],[part=headline]{font-weight:600}
dt,[part=rate],[part=timer],[part=note]{min-height:1.45em;font-size:.9rem;color:var(--quiet)}
[part=state]{margin-top:1rem;min-height:4.35em;padding-inline-start:.8rem;border-inline-start:4px solid var(--tone)}
[part=headline]{color:var(--tone)}
[part=note]{flex:1 0 100%}
[part=stack]{flex:1 17rem;display:grid}
[part=stack]>*{grid-area:1/1;min-width:0;display:flex;flex-direction:column;gap:.8rem}
[part=end]{justify-content:center;padding:1rem;border-radius:.6rem;background:color-mix(in srgb,var(--tone) 10%,var(--card))}
[part=tabs],[part=actions]{display:grid;grid-template-columns:repeat(auto-fit,minmax(5rem,1fr));gap:.5rem}
button,a{display:grid;place-items:center;min-height:2.75rem;padding:.5rem 0;border:1px solid var(--ink);border-radius:.6rem;background:none;color:inherit;font:inherit;font-weight:600;text-decoration:none;text-align:center;cursor:pointer}
[part=wallet],[aria-pressed=true]{border-color:var(--accent);background:var(--accent);color:var(--card)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[part=qr]{width:min(100%,20rem,70vh);margin:auto;border-radius:.6rem;background:#fff;shape-rendering:crispEdges}
[part=code]{width:100%;min-height:2.75rem;padding:0 .8rem;border:1px solid var(--line);border-radius:.6rem;background:none;color:var(--quiet);font:.8rem monospace}
[part=glyph]{width:6rem;margin:0 auto;fill:none;stroke:var(--tone);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
dd{margin-bottom:.5rem}
[data-phase=awaiting] [part=end],[part=card]:not([data-phase=awaiting]) :is([part=pay],[part=timer]){visibility:hidden}
@media (prefers-reduced-motion:no-preference){[data-phase$=ing] [part=glyph] path{transform-origin:center;animation:turn 1.6s linear infinite}}
@keyframes turn{to{rotate:1turn}}
@media print{button{display:none}}`;
