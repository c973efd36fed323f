/**
 * Styles for the timeline, the detail pane and the tabs. They use the design tokens of
 * `elements/look.ts` as custom properties.
 */
export const timelineLook: string = `
[part~=split]{position:relative;display:flex;min-width:0;min-height:0;container:split/inline-size}
[part~=log]{position:relative;display:flex;flex:1;flex-direction:column;min-width:0;min-height:0;container:log/inline-size}
[part~=tools]{display:flex;flex-wrap:wrap;gap:0 8px;align-items:center;padding-inline:12px;border-bottom:1px solid var(--line);background:var(--surface)}
[part~=kinds],[part~=tabs]{display:flex;gap:4px;overflow:auto hidden}
[part~=tabs]{border-bottom:1px solid var(--line)}
[part~=kind],[part~=tab]{min-height:32px;padding:0 10px;border:0;border-bottom:2px solid transparent;border-radius:0;background:none;font-weight:400}
[part~=kind][aria-pressed=true],[part~=tab][aria-selected=true]{border-bottom-color:var(--ink);background:var(--tint);font-weight:500}
[part~=kind]:focus-visible,[part~=tab]:focus-visible,[part~=rows]:focus-visible,[part~=detail]:focus-visible{outline-offset:-2px}
[part~=search]{flex:1 1 120px;min-width:0;max-width:280px;min-height:var(--row);margin:4px 0;margin-inline-start:auto;padding:0 10px;border:1px solid var(--control);border-radius:var(--radius);background:none;color:inherit;font:inherit}
[part~=rows]{flex:1;min-height:0;overflow:auto;overscroll-behavior:contain;background:var(--surface)}
[part~=space]{position:relative;height:calc(var(--row)*var(--count))}
[part~=space]>[part~=row]{position:absolute;inset-inline:0;top:calc(var(--row)*var(--at))}
[part~=row]{display:flex;gap:8px;align-items:center;width:100%;height:var(--row);padding:0 12px;border:0;border-bottom:1px solid var(--line);border-radius:0;background:none;cursor:default;font-weight:400;text-align:start;white-space:nowrap}
[part~=row]:hover{background:var(--page)}
[part~=row][aria-selected=true]{background:var(--tint);box-shadow:inset 2px 0 var(--accent)}
[part~=row][data-aside]>*{opacity:.55}
[part~=time],[part~=id],[part~=took],[part~=text],[part~=json],[part~=headers]{font:12px/1.5 var(--mono)}
[part~=time],[part~=id],[part~=took],[part~=sign],[part~=why],[part~=hint],[part~=headers]>dt,[part~=json] :is([part~=name],[part~=size]){color:var(--muted)}
[part~=time],[part~=sign],[part~=took],[part~=badge],[part~=count]{flex:none}
[part~=sign]{width:16px;text-align:center}
[part~=state]>[part~=sign]{color:var(--success)}
[part~=webhook]>[part~=sign]{color:var(--accent)}
[part~=what],[part~=why]{overflow:hidden;text-overflow:ellipsis;unicode-bidi:isolate}
[part~=why]{flex:1 1 0}
[part~=item] [part~=took]:empty,[part~=none]:empty{display:none}
[part~=detail],[part~=list]{container:log/inline-size}
[part~=badge]{margin-inline-start:auto;padding:0 6px;border-radius:4px;font-size:12px;font-weight:500;line-height:20px}
[part~=badge]:empty{display:none}
[part~=badge]:empty+[part~=took]{margin-inline-start:auto}
[part~=title]>[part~=badge]{display:inline-block}
[part~=good]{background:var(--success-tint);color:var(--success)}
[part~=wait]{background:var(--warning-tint);color:var(--warning)}
[part~=bad]{background:var(--danger-tint);color:var(--danger)}
[part~=count]{padding:0 6px;border:1px solid var(--line);border-radius:10px;font-size:12px;line-height:18px}
[part~=took]{width:64px;padding-bottom:2px;background:linear-gradient(var(--accent) 0 0) 0 100%/var(--share) 2px no-repeat;text-align:end}
[part~=more]{position:absolute;inset:auto 16px 16px auto;border-radius:14px;background:var(--surface);box-shadow:0 2px 12px rgb(0 0 0/25%)}
[part~=none]{padding:16px}
[part~=detail]{flex:0 0 min(45%,440px);min-width:0;padding:16px;overflow:auto;border-inline-start:1px solid var(--line);background:var(--surface);overflow-wrap:anywhere}
[part~=detail]>*+*{margin-top:12px}
[part~=close]+*{margin-top:0!important}
[part~=close]{float:inline-end;min-height:var(--row);width:28px;padding:0;border:0;background:none;font-size:20px;line-height:1}
[part~=detail] [part~=title]{font-size:16px;font-weight:650}
[part~=tabs]+[part~=panel],[part~=panel]>*+*{margin-top:8px}
summary{min-height:24px;cursor:pointer}
[part~=headers]{display:grid;grid-template-columns:auto 1fr;gap:2px 12px}
[part~=text],[part~=json]{padding:8px 12px;overflow:auto;border:1px solid var(--line);border-radius:var(--radius);background:var(--page);white-space:pre-wrap}
[part~=json]{white-space:normal}
[part~=node]>:not(summary),[part~=value] [part~=value]{padding-inline-start:12px}
[part~=related]{padding:0;list-style:none}
@media (pointer:coarse),(max-width:480px){
[part~=split]{--row:44px}
:is([part~=kind],[part~=tab],[part~=search],[part~=more]){min-height:44px}
}
@container split (width<600px){
[part~=detail]{position:absolute;z-index:1;inset:0;border:0}
[part~=split]>:has(~[part~=detail]:not([hidden])){visibility:hidden}
}
@container log (width<520px){
[part~=tools]{padding-inline:8px}
[part~=search]{max-width:none}
[part~=row]{gap:6px;padding:0 8px}
[part~=row]>:is([part~=took],[part~=id]),[part~=millis]{display:none}
[part~=list] [part~=row]{flex-wrap:wrap;gap:0 8px;height:auto;padding:4px 0}
[part~=list] [part~=why]{flex-basis:100%;order:1;white-space:normal}
}`;
