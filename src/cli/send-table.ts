/** Sends as the command line prints them, each once it has ended. */
import type { ListedSend } from '../shared/model/send.ts'
import { createColumns, type Cell, type Output } from './output.ts'

const passing: readonly ListedSend['outcome'][] = ['first-pass', 'still-passing', 'fixed']

/** One line of `--json`. Where there is no outcome, it says what has become of the send. */
function sendJson({ deliveryId, event, id, status, ms, error, outcome, state }: ListedSend): Record<string, unknown> {
  return { deliveryId, sendId: id, status, ms, error, outcome: outcome ?? state, event }
}

function sendCells({ deliveryId, event, status, ms, error, outcome, state }: ListedSend): Cell[] {
  const colour = outcome === null ? 'yellow' : passing.includes(outcome) ? 'green' : 'red'
  return [
    { text: outcome ?? state, colour },
    { text: event ?? '-' },
    { text: deliveryId },
    { text: status === null ? '–' : String(status), align: 'right' },
    { text: ms === null ? '' : `${ms.toFixed(0)} ms`, align: 'right' },
    { text: error ?? '' },
  ]
}

/** Makes what prints sends: a line of a table each, or an object of `--json`. */
export function createSendPrinter(output: Output, asJson: boolean): (sends: readonly ListedSend[]) => void {
  const columns = createColumns(output)
  return (sends) => {
    if (asJson) for (const send of sends) output.json(sendJson(send))
    else for (const line of columns(sends.map(sendCells))) output.line(line)
  }
}
