/** Styles of a sequence diagram. */
import type { Ink } from './story.ts'

const inks: Readonly<Record<Ink, string>> = {
  plain: 'text',
  muted: 'text-muted',
  subtle: 'text-subtle',
  accent: 'accent',
  ok: 'ok',
  bad: 'bad',
  warn: 'warn',
  auth: 'event-auth',
  clearing: 'event-clearing',
  refund: 'event-refund',
  card: 'event-card',
  location: 'event-location',
}

/** The rules. The window and reports define the colors by name. */
export const diagramRules = `
.flow{--flow-paper:var(--ground);display:block}
.flow text{font:450 12px Inter Variable,Inter,system-ui,sans-serif;fill:currentColor;white-space:pre}
.flow .mono,.flow .tiny{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,Menlo,monospace;font-variant-ligatures:none}
.flow .small,.flow .tiny{font-size:11px}
.flow .bold{font-weight:550}
${Object.entries(inks)
  .map(([ink, name]) => `.flow .i-${ink}{color:var(--${name})}`)
  .join('\n')}
.flow tspan{fill:currentColor}
.flow .paper{fill:var(--flow-paper)}
.flow .life{stroke:var(--line);fill:none}
.flow .ended{stroke:var(--edge);stroke-dasharray:2 4;fill:none}
.flow .zigzag{stroke:var(--edge);stroke-width:1.25;stroke-linejoin:round;fill:none}
.flow .head,.flow .note{fill:var(--raised);stroke:var(--line)}
.flow .note.i-bad{stroke:var(--bad)}
.flow .red-head{fill:var(--bad-wash);stroke:var(--bad)}
.flow .band{fill:var(--raised)}
.flow .is-gave-up .row{fill:var(--bad-wash)}
.flow .passed{fill:var(--accent)}
.flow .busy{fill:var(--edge)}
.flow .arrow{stroke:currentColor;stroke-width:1.75;fill:none}
.flow .action{stroke:currentColor;stroke-width:1.25;fill:none}
.flow .planned{stroke:currentColor;stroke-width:1.25;stroke-dasharray:4 4;fill:none}
.flow .return{stroke:currentColor;stroke-width:1.25;stroke-dasharray:4 3;fill:none}
.flow .tip{fill:currentColor}
.flow .open-tip{stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round;fill:none}
.flow .slashes{stroke:currentColor;stroke-width:1.5;stroke-linecap:round;fill:none}
.flow .icon{stroke:currentColor;stroke-linecap:round;stroke-linejoin:round;fill:none}
.flow .ring{stroke:currentColor;stroke-width:1.75;fill:var(--flow-paper)}
.flow .dot{fill:currentColor}
.flow .is-gave-up{--flow-paper:var(--bad-wash)}
`
