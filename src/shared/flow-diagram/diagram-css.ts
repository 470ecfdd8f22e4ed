/** Styles of a sequence diagram. A separate file defines its own colors. */

/** The rules. The window and reports define the colors by name. */
export const diagramRules = `
.flow{--flow-paper:var(--ground)}
.flow text{font:450 12px Inter Variable,Inter,system-ui,sans-serif;fill:var(--text)}
.flow .title{font-size:15px;font-weight:550}
.flow .actor{font-weight:550;text-anchor:middle}
.flow .business,.flow .real,.flow .answer{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,monospace;font-size:11px}
.flow .business{fill:var(--text-muted)}
.flow .real{fill:var(--text-subtle)}
.flow .paper{fill:var(--ground)}
.flow .life{stroke:var(--line);fill:none}
.flow .pause{stroke:var(--text-subtle);fill:none}
.flow .head{fill:var(--raised);stroke:var(--line)}
.flow .band{fill:var(--raised)}
.flow .passed{fill:var(--accent)}
.flow .long{font-weight:550;paint-order:stroke;stroke:var(--raised);stroke-width:5px;stroke-linejoin:round}
.flow .gap .real{font-family:Inter Variable,Inter,system-ui,sans-serif;paint-order:stroke;stroke:var(--raised);stroke-width:5px;stroke-linejoin:round}
.flow .label,.flow .detail,.flow .answer{paint-order:stroke;stroke:var(--flow-paper);stroke-width:5px;stroke-linejoin:round}
.flow .detail{fill:var(--text-muted)}
.flow .note{fill:var(--raised);stroke:var(--line)}
.flow .note-row .label{stroke:none}
.flow .arrow,.flow .reply,.flow .open-tip{stroke:var(--text-muted);stroke-width:1.25;fill:none}
.flow .reply{stroke-dasharray:3 4}
.flow .tip{fill:var(--text-muted)}
.flow .delivery .arrow{stroke-width:1.75}
.flow .delivery .label{font-weight:550}
.flow .pass.delivery .arrow{stroke:var(--ok)}
.flow .pass.delivery .tip{fill:var(--ok)}
.flow .pass .mark{fill:var(--ok)}
.flow .running .mark{fill:var(--accent)}
.flow .running .arrow{stroke:var(--accent)}
.flow .running .tip{fill:var(--accent)}
.flow .fail .mark,.flow .missing .mark,.flow .stray .mark,.flow .fail .detail,.flow .missing .detail,.flow .stray .detail,.flow .fail .answer{fill:var(--bad)}
.flow .fail .arrow,.flow .missing .arrow,.flow .stray .arrow,.flow .fail .reply,.flow .fail .open-tip,.flow .fail .note,.flow .missing .note{stroke:var(--bad)}
.flow .fail .tip,.flow .missing .tip,.flow .stray .tip{fill:var(--bad)}
.flow .missing .arrow,.flow .skip .arrow,.flow .planned .arrow,.flow .planned .note,.flow .skip .note{stroke-dasharray:4 4}
.flow .skip .label,.flow .planned .label,.flow .planned .long,.flow .planned .mark,.flow .skip .mark{fill:var(--text-subtle)}
.flow .skip .arrow,.flow .planned .arrow{stroke:var(--text-subtle)}
.flow .skip .tip,.flow .planned .tip{fill:var(--text-subtle)}
.flow .planned .note,.flow .skip .note{fill:var(--flow-paper)}
`

const dark =
  '--ground:#0f1115;--raised:#1b1f26;--line:#262b34;--text:#e7e9ed;--text-muted:#a6adb9;--text-subtle:#8d95a3;--accent:#8aa4ff;--ok:#4cc38a;--bad:#ff7b7b'
const light =
  '--ground:#f9fafb;--raised:#f3f4f7;--line:#dfe2e8;--text:#171a20;--text-muted:#48505e;--text-subtle:#5f6775;--accent:#2c50cc;--ok:#17713f;--bad:#bf2531'

/** For a separate file: light or dark, like the reader's system. */
export const diagramColours = `.flow{${light}}@media (prefers-color-scheme:dark){.flow{${dark}}}`
