import { coloursFor } from './look.ts';

/**
 * Returns the style sheet of a pay button and its dialog. While an order is made the label only
 * becomes invisible, so that the button keeps its size and its name.
 */
export const payButtonLook =
  (): string => `:host{display:inline-block;max-width:100%}:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}[hidden],:host([hidden]){display:none!important}*{box-sizing:border-box;margin:0}
${coloursFor(':is([part=button],[part=message],[part=dialog])')}
[part=button]{position:relative;display:block;width:100%;min-height:44px;padding:8px 24px;border:1px solid var(--accent);border-radius:var(--paystate-control-radius,8px);background:var(--accent);color:var(--paystate-on-accent,var(--card));font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-weight:500;font-variant-numeric:tabular-nums;cursor:pointer}[part=button]:disabled{opacity:.5;cursor:default}[aria-busy=true]{cursor:progress}[aria-busy=true] [part=label]{opacity:0}
[part=label],[part=message]{unicode-bidi:plaintext}bdi{unicode-bidi:isolate;white-space:nowrap}
[part=spinner]{position:absolute;inset:0;width:20px;height:20px;margin:auto;border:2px solid;border-inline-end-color:#0000;border-radius:50%}
[part=message]{contain:inline-size;min-width:min(15rem,100vw - 32px);max-width:40ch;margin-top:8px;padding:8px 12px;border:1px solid color-mix(in srgb,currentColor 35%,var(--card));border-radius:var(--paystate-control-radius,8px);background:var(--card);color:var(--ink);font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-size:.875rem;overflow-wrap:anywhere}[part=message]:empty{display:none}[part=message][data-failed]{color:var(--bad)}
[part=dialog]{width:calc(100% - 16px);max-width:792px;max-height:calc(100dvh - 16px);margin:auto;padding:0;border:1px solid var(--paystate-line,color-mix(in srgb,var(--ink) 18%,var(--card)));border-radius:var(--paystate-radius,16px);background:var(--card);color:var(--ink);overflow:auto;overscroll-behavior:contain;text-align:start}[part=dialog]::backdrop{background:rgb(0 0 0/.5)}
[part=top]{position:sticky;top:0;z-index:1;display:flex;justify-content:flex-end;padding:8px 8px 0;background:var(--card)}[part=close]{display:grid;place-items:center;width:44px;height:44px;padding:0;border:0;border-radius:var(--paystate-control-radius,8px);background:none;color:inherit;cursor:pointer}[part=cross]{width:20px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round}
[part=bottom]{max-width:420px;margin:0 auto;padding:0 16px 16px}[part=done]{width:100%;min-height:44px;padding:8px 16px;border:1px solid var(--accent);border-radius:var(--paystate-control-radius,8px);background:var(--accent);color:var(--paystate-on-accent,var(--card));font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-weight:500;cursor:pointer}
paystate-checkout::part(card){padding-top:0;border:0;background:none}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (min-width:618px){[part=bottom]{max-width:760px;padding:0 32px 32px}[part=done]{display:block;width:300px;margin-inline-start:auto}}
@media (prefers-reduced-motion:no-preference){[part=spinner]{animation:turn 1s linear infinite}[part=dialog][open]{animation:come .15s ease-out}}@keyframes turn{to{rotate:1turn}}@keyframes come{from{opacity:0}}@media print{[part=top],[part=bottom]{display:none}}`;
