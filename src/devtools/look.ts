import { RADIUS, ROW } from '../elements/tokens.ts';

/** Makes the style sheet of the devtools, which comes after that of all elements. */
export const devtoolsLook =
  (): string => `[part=card]{display:block;max-width:none;margin:0;padding:16px;font-size:13px}
[part=title]{font-size:16px}
[part=bar]{display:flex;flex-wrap:wrap;gap:8px;align-items:center;justify-content:space-between;margin-bottom:12px}
[part=acts],[part=tabs]{display:flex;flex-wrap:wrap;gap:8px}
button,input{min-height:32px;padding:0 12px;border:1px solid var(--quiet);border-radius:${RADIUS};font-weight:500}
[part=tabs]{gap:4px;border-bottom:1px solid var(--line)}
[part=tab]{border:0;border-bottom:2px solid transparent;border-radius:0;font-weight:400}
[aria-selected=true]{border-color:var(--ink);background:color-mix(in srgb,var(--accent) 10%,var(--card))}
[part=panel]{margin-top:12px;max-height:30rem;padding-bottom:2rem;overflow:auto;mask-image:linear-gradient(#000 calc(100% - 2rem),transparent)}
[part=ends]{display:flex;justify-content:space-between}
ol{padding:0;list-style:none}
[part=row]{min-height:${ROW};padding:4px 0;border-top:1px solid var(--line)}
[part=head]{min-height:${ROW};cursor:pointer}
[part=what],[part=choose],[part=name]{font-weight:600}
[part=choose]{justify-content:start;min-height:${ROW};padding:0;border:0;text-align:start}
[part=facts]{display:block;color:var(--quiet)}
[part=what][data-bad=true]{color:var(--bad)}
[part=text]{max-height:16rem;margin:.25rem 0;padding:8px;overflow:auto;border:1px solid var(--line);border-radius:${RADIUS};white-space:pre-wrap}
[part=field]{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-bottom:8px}
input{flex:1 1 16rem;min-width:0;border-color:var(--quiet);background:none;color:inherit;font:inherit}
[part=chart]{margin-bottom:16px}
[part=picture]{display:block;width:100%;height:64px;border:1px solid var(--line);border-radius:${RADIUS}}
[part~=line]{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}
[part~=used]{color:var(--accent)}
[part~=limit]{color:var(--bad)}
[part~=now]{color:var(--line)}
[part~=forecast]{color:var(--wait);stroke-dasharray:6 4}
@media (pointer:coarse),(max-width:480px){button,input,[part=head],[part=choose]{min-height:44px}}
`;
