/** Sends as the command line prints them, each once it has ended. */
import { isRightlyRefused, type ListedSend, type ReplayJob } from '../shared/model/send.ts'
import { createColumns, type Cell, type Output } from './output.ts'

const passing: readonly ListedSend['outcome'][] = ['first-pass', 'still-passing', 'fixed']

/** In which way it is other than captured; empty where it is not. */
export function changesOf({ tamper, edited }: Pick<ReplayJob, 'tamper' | 'edited'>): string {
  return [
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`other ${edited.join(', ')}`]),
  ].join('; ')
}

/** One line of `--json`. Where there is no outcome, it says what has become of the send. */
export function sendJson({ deliveryId, event, id, status, ms, error, outcome, state }: ListedSend): Record<string, unknown> {
  return { deliveryId, sendId: id, status, ms, error, outcome: outcome ?? state, event }
}

/** What an outcome means where the request is wrong on purpose; empty where it is not. */
function meaningOf(send: ListedSend): string {
  if (isRightlyRefused(send)) return 'refused, as it should be'
  return send.tamper !== null && passing.includes(send.outcome) ? 'taken although it is not genuine' : ''
}

/** What came of it: its outcome, or why there is none. */
export function outcomeCell(send: ListedSend): Cell {
  const { outcome, state, tamper } = send
  const isGood = isRightlyRefused(send) || (passing.includes(outcome) && tamper === null)
  return { text: outcome ?? state, colour: outcome === null ? 'yellow' : isGood ? 'green' : 'red' }
}

function sendCells(send: ListedSend): Cell[] {
  const { deliveryId, event, status, ms, error } = send
  return [
    outcomeCell(send),
    { text: event ?? '-' },
    { text: deliveryId },
    { text: status === null ? '–' : String(status), align: 'right' },
    { text: ms === null ? '' : `${ms.toFixed(0)} ms`, align: 'right' },
    { text: error ?? meaningOf(send) },
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
