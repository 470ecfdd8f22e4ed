/** Sends as the command line prints them, each once it has ended. */
import { lookOfSend } from '../shared/model/outcomes.ts'
import { changeWords } from '../shared/model/send-words.ts'
import type { ListedSend, Send } from '../shared/model/send.ts'
import { outcomeCell } from './outcome-cell.ts'
import { createColumns, type Cell, type Output } from './output.ts'

/** In which ways it is other than captured; empty where it is not. */
export function sendChanges(one: Pick<Send, 'tamper' | 'edited'>): string {
  return changeWords(one).join('; ')
}

/** One line of `--json`. Where there is no outcome, it says what has become of the send. */
export function sendJson(send: ListedSend): Record<string, unknown> {
  const { deliveryId, event, id, status, ms, error, outcome, state, target } = send
  return { deliveryId, sendId: id, status, ms, error, outcome: outcome ?? state, event, target }
}

function sendCells(send: ListedSend): Cell[] {
  const { deliveryId, event, status, ms, error, target } = send
  const look = lookOfSend(send)
  return [
    outcomeCell(look),
    { text: event ?? '-' },
    { text: deliveryId },
    { text: status === null ? '–' : String(status), align: 'right' },
    { text: ms === null ? '' : `${ms.toFixed(0)} ms`, align: 'right' },
    { text: target },
    { text: error ?? look.why },
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
