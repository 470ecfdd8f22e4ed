/** A tunnel and the test of its address, as a person reads them. */
import { printableText } from '../shared/text/printable.ts'
import type { Hook } from '../shared/model/hook.ts'
import type { AddressTest, TunnelProgram, TunnelStatus } from '../shared/model/tunnel.ts'
import { addressTests, tunnelStates } from '../shared/model/outcomes.ts'
import { outcomeCell } from './outcome-cell.ts'
import type { Cell } from './output.ts'

export function tunnelCells({ state, provider, url, problem, nextTryAt }: TunnelStatus): Cell[] {
  const again = nextTryAt === null ? '' : ` It is started again at ${nextTryAt}.`
  return [
    outcomeCell(tunnelStates[state], state),
    { text: provider ?? '' },
    { text: printableText(url ?? `${problem ?? ''}${again}`) },
  ]
}

export function programCells({ provider, path, install, page, needsToken, tokenHint }: TunnelProgram): Cell[] {
  const token = !needsToken ? '' : tokenHint === null ? ', no token kept' : `, token ${tokenHint}`
  return [
    path === null ? { text: 'missing', colour: 'yellow' } : { text: 'found', colour: 'green' },
    { text: provider },
    { text: printableText(path === null ? `Get it: ${install} (${page})` : `${path}${token}`) },
  ]
}

export function testCells({ outcome, message, ms }: AddressTest): Cell[] {
  return [outcomeCell(addressTests[outcome], outcome), { text: `${ms} ms` }, { text: printableText(message) }]
}

/** What to do about the hooks that still point to an address that was the public one; `publicUrl` null: there is none now. */
export function repointNotes(earlier: readonly string[], publicUrl: string | null, hooks: readonly Hook[]): string[] {
  return earlier.flatMap((from) => {
    const count = hooks.filter(({ status, url }) => status === 'active' && (url === from || url.startsWith(`${from}/`))).length
    if (count === 0) return []
    const which = count === 1 ? '1 hook still points' : `${count} hooks still point`
    const next =
      publicUrl === null
        ? 'which leads nowhere now. Start a tunnel, or name the public address with "countersign tunnel use URL"; then they can be moved there.'
        : `which is not the public address any more. Move: countersign hooks repoint ${from} ${publicUrl}`
    return [`${which} to ${from}, ${next}`]
  })
}
