/**
 * The rules of the drawing in the window: those of its files, and beside them what only a window has: a choice, a focus, a lifeline
 * that is looked at, and the motion of what arrives, which whoever wants less of it does without.
 */
import { diagramRules } from '../../../shared/flow-diagram/diagram-css.ts'

const windowRules = `
.flow .row{fill:transparent}
.flow [data-flow-place]:hover{--flow-paper:var(--raised)}
.flow [data-flow-place]:hover .row{fill:var(--raised)}
.flow [data-flow-place][aria-pressed='true']{--flow-paper:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .row{fill:var(--selected)}
.flow [data-flow-place]:focus-visible .row{stroke:var(--accent);stroke-width:1.5}
.flow .chosen{fill:var(--accent)}
.flow .looked-at.life{stroke:var(--accent)}
.flow .looked-at.head{stroke:var(--accent);fill:var(--selected)}
.flow .looked-at.actor{fill:var(--accent)}
.flow [data-flow-place][aria-pressed='true'] .life:not(.looked-at){stroke:color-mix(in srgb,var(--edge) 55%,transparent)}
@keyframes flow-draw{from{stroke-dasharray:400;stroke-dashoffset:400}to{stroke-dasharray:400;stroke-dashoffset:0}}
@keyframes flow-appear{from{opacity:0}}
@keyframes flow-flash{from{fill:color-mix(in srgb,var(--accent) 22%,transparent)}}
.flow .arrives .arrow,.flow .arrives .reply{animation:flow-draw 160ms ease-out}
.flow .arrives .tip,.flow .arrives .open-tip,.flow .arrives .label,.flow .arrives .detail,.flow .arrives .answer,.flow .arrives .note{animation:flow-appear 160ms ease-out}
.flow .arrives .row{animation:flow-flash 180ms ease-out}
@media (prefers-reduced-motion:reduce){.flow *{animation:none!important}}
`

const sheet = new CSSStyleSheet()
sheet.replaceSync(diagramRules + windowRules)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
