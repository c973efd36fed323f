/** Style sheet of the devtools beside that of all elements. */
export const DEVTOOLS_LOOK: string = `[part=card]{display:block;max-width:none;margin:0;padding:1rem;font-size:.875rem}
[part=title]{font-size:1rem}
[part=bar]{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;justify-content:space-between;margin-bottom:.75rem}
[part=acts],[part=tabs]{display:flex;flex-wrap:wrap;gap:.5rem}
button{padding:.25rem .75rem}
[part=tabs]{gap:.25rem;border-bottom:1px solid var(--line)}
[part=tab]{border:0;border-bottom:2px solid transparent;border-radius:0;font-weight:400}
[aria-selected=true]{border-color:var(--ink);background:color-mix(in srgb,var(--accent) 10%,var(--card))}
[part=panel]{margin-top:.75rem;max-height:30rem;padding-bottom:2rem;overflow:auto;mask-image:linear-gradient(#000 calc(100% - 2rem),transparent)}
[part=ends]{display:flex;justify-content:space-between}
ol{padding:0;list-style:none}
[part=row]{padding:.25rem 0;border-top:1px solid var(--line)}
[part=head]{min-height:2.75rem;padding:.25rem 0;cursor:pointer}
[part=what],[part=choose],[part=name]{font-weight:600}
[part=choose]{justify-content:start;padding:0;border:0;text-align:start}
[part=facts]{display:block;color:var(--quiet)}
[part=what][data-bad=true]{color:var(--bad)}
[part=text]{max-height:16rem;margin:.25rem 0;padding:.5rem;overflow:auto;border:1px solid var(--line);border-radius:.4rem;white-space:pre-wrap}
[part=field]{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:.5rem}
input{flex:1 1 16rem;min-width:0;min-height:2.75rem;padding:0 .6rem;border:1px solid var(--ink);border-radius:.6rem;background:none;color:inherit;font:inherit}
[part=chart]{margin-bottom:1rem}
[part=picture]{display:block;width:100%;height:4rem;border:1px solid var(--line);border-radius:.4rem}
[part~=line]{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}
[part~=used]{color:var(--accent)}
[part~=limit]{color:var(--bad)}
[part~=now]{color:var(--line)}
[part~=forecast]{color:var(--wait);stroke-dasharray:6 4}`;
