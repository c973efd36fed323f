/** How the sandbox's page looks. One accent; everything else is paper and ink. */
export const pageLook: string = `
:root {
  color-scheme: light dark;
  --paper: #f5f2ec; --card: #fffdf9; --ink: #221e19; --quiet: #655d53; --line: #ddd5c8; --edge: #8d8375;
  --accent: #1c6b50; --on-accent: #ffffff; --alarm: #9b2c1d;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14120f; --card: #1d1a16; --ink: #f2ede4; --quiet: #aea497; --line: #393329; --edge: #857b6d;
    --accent: #7ad2b0; --on-accent: #0c2219; --alarm: #ffab97;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--sans); }
p, h1, h2, ul { margin: 0; padding: 0; list-style: none; }
h1 { font-size: 1.35rem; }
h2 { font-size: 1rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem; }
nav a { display: grid; place-items: center; min-height: 2.75rem; padding: 0.3rem 0.8rem; border-radius: 0.6rem; color: var(--accent); font-weight: 500; }
nav a[aria-current] { border: 1px solid var(--line); background: var(--card); color: var(--ink); text-decoration: none; }
a { color: var(--accent); }
paystate-devtools { --paystate-ink: var(--ink); --paystate-card: var(--card); --paystate-accent: var(--accent); --paystate-bad: var(--alarm); --paystate-font: 1rem/1.5 var(--sans); }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; margin-bottom: 1rem; }
.now { margin-left: auto; font-variant-numeric: tabular-nums; }
code { font: 0.85rem/1.4 var(--mono); overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button, select {
  min-height: 2.75rem; padding: 0.3rem 0.8rem; border: 1px solid var(--edge); border-radius: 0.6rem;
  background: transparent; color: var(--ink); font: 500 0.9rem/1.25 var(--sans);
}
button { cursor: pointer; }
select { background: var(--card); }
button:hover { border-color: var(--ink); }
button[aria-checked="true"] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button[aria-checked]::before { content: ""; display: inline-block; width: 0.6rem; height: 0.6rem; margin-right: 0.5rem; border: 2px solid; border-radius: 50%; }
button[aria-checked="true"]::before { background: currentcolor; }
.hint, .label, .count, .note { color: var(--quiet); font-size: 0.9rem; }
.count { font-weight: 400; }
.trouble { color: var(--alarm); font-weight: 500; }
.controls { display: grid; gap: 1rem; margin-bottom: 1.25rem; }
.group, .sections > section { min-width: 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); }
.group { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; align-content: start; }
.group h2 { width: 100%; }
.group .text { min-width: 0; }
.faults { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.note { min-height: 1.5em; }
#trouble:empty { display: none; }
.sections { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); align-items: start; }
.sections > .requests { grid-column: 1 / -1; }
.sections > section > ul { max-height: min(28rem, 70vh); overflow: auto; overscroll-behavior: contain; margin-top: 0.5rem; padding-bottom: 2rem; mask-image: linear-gradient(#000 calc(100% - 2rem), transparent); }
.sections li li { border: 0; }
.sections li { padding: 0.6rem 0.25rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
svg { display: block; width: min(100%, 15rem); margin-top: 0.5rem; background: #fff; shape-rendering: crispEdges; }
summary { min-height: 1.5rem; cursor: pointer; overflow-wrap: anywhere; }
pre { max-height: 16rem; margin: 0.25rem 0 0.5rem; padding: 0.5rem; overflow: auto; border: 1px solid var(--line); border-radius: 0.4rem; font: 0.85rem/1.4 var(--mono); }
.reason, [data-failed="true"] { color: var(--alarm); }
.source { margin-right: 0.25rem; padding: 0 0.4rem; border: 1px solid; border-radius: 0.4rem; font-size: 0.8rem; color: var(--accent); }
.source[data-source="inferred"] { color: var(--quiet); }
.source[data-source="assumed"] { color: var(--alarm); }
.actions { display: flex; flex-wrap: wrap; gap: 0.4rem; margin-top: 0.4rem; }
.actions:empty { display: none; }
.state { font-weight: 600; font-size: 0.8rem; letter-spacing: 0.03em; }
.state[data-state="PAID"], .state[data-state="COMPLETED"], .state[data-state="READY"], .state[data-state="APPROVED"] { color: var(--accent); }
.state[data-state="FAILED"], .state[data-state="REVERSED"], .state[data-state="REJECTED"], .state[data-state="INVALID"] { color: var(--alarm); }
.controls.alone { grid-template-columns: minmax(0, 1fr); }
@media (min-width: 64rem) { .controls { grid-template-columns: 1fr auto; } .controls > :nth-child(n + 3) { grid-column: 1 / -1; } }
`;
