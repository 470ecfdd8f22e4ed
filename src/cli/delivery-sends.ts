/** Prints sends, as a table or in full with credentials masked. */
import { utf8Text } from '../shared/body/encoding.ts'
import { outcomeOfSend } from '../shared/model/send-outcomes.ts'
import type { ListedSend, SendState } from '../shared/model/send.ts'
import type { Client } from '../shared/rpc/client.ts'
import { signedUrlOf } from '../shared/model/replay-edits.ts'
import { messageLines, type StoredMessage } from './delivery-body.ts'
import { localTimeText } from './delivery-table.ts'
import { grey, outcomeCell, pick, right, type Cell, type Output } from './print.ts'
import { sendChanges, sendJson } from './replay-progress.ts'

const SENDS_SHOWN = 50

const milliseconds = (ms: number) => `${ms.toFixed(1)} ms`

/** Returns an object of `replay --sends --json`: everything except request and response. */
function storedJson(send: ListedSend): Record<string, unknown> {
  const { registeredUrl, tamper } = send
  return {
    ...sendJson(send),
    ...pick(send, 'replayId', 'kind'),
    signedUrl: registeredUrl === null ? null : signedUrlOf(registeredUrl, tamper),
    ...pick(send, 'tamper', 'edited', 'state', 'tries', 'startedAt', 'phases'),
    certificateProblem: send.certificateProblem,
  }
}

function listedCells(send: ListedSend): Cell[] {
  const { id, startedAt, status, ms, target, error } = send
  return [
    grey(startedAt === null ? 'not yet' : localTimeText(startedAt)),
    outcomeCell(outcomeOfSend(send)),
    right(status === null ? '–' : String(status)),
    right(ms === null ? '' : milliseconds(ms)),
    target,
    grey(id),
    [sendChanges(send), error ?? ''].filter((text) => text !== '').join('; '),
  ]
}

export async function listSends(client: Client, output: Output, ref: string): Promise<void> {
  const { id, event, receivedAt } = await client.call('deliveries.get', { id: ref })
  const { sends } = await client.call('replay.ofDelivery', { id, limit: SENDS_SHOWN })
  if (sends.length === 0)
    output.note(`No replays of ${id} yet. Replay it: countersign replay ${id} --to URL`)
  output.list(
    sends.map((send) => ({ ...send, event, receivedAt })),
    listedCells,
    storedJson,
  )
}

function messageJson({ headers, bytes, truncated }: StoredMessage): Record<string, unknown> {
  return {
    headers,
    body: utf8Text(bytes, truncated),
    base64: Buffer.from(bytes).toString('base64'),
    truncated,
  }
}

const unknownTime = 'unknown: the time is saved when the send ends'

/** Words in place of a send's time if none is stored. */
const unsentWords: Readonly<Record<SendState, string>> = {
  waiting: 'not yet',
  'under-way': unknownTime,
  settled: unknownTime,
  uncertain: unknownTime,
  'not-sent': 'no',
  cancelled: 'no',
}

function overviewRows(send: ListedSend): (readonly [string, string | null])[] {
  const { event, kind, registeredUrl, startedAt, status, ms, phases } = send
  const signedOver =
    registeredUrl === null ? 'not re-signed' : signedUrlOf(registeredUrl, send.tamper)
  const { word, why } = outcomeOfSend(send)
  const parts =
    phases === null
      ? ''
      : ` (connect ${milliseconds(phases.connect)}, wait ${milliseconds(phases.wait)}, read ${milliseconds(phases.body)})`
  const duration = ms === null ? '' : ` after ${milliseconds(ms)}${parts}`
  return [
    ['id', send.id],
    ['delivery', `${send.deliveryId}${event === null ? '' : ` (${event})`}`],
    [kind === 'replay' ? 'replay' : kind === 'forward' ? 'target' : 'flow run', send.replayId],
    [
      'sent',
      startedAt === null ? unsentWords[send.state] : `${localTimeText(startedAt)} (${startedAt})`,
    ],
    ['to', send.target],
    ['signed URL', startedAt && signedOver],
    ['changed', sendChanges(send) || null],
    ['outcome', why === '' ? word : `${word}, ${why}`],
    ['answer', `${status ?? 'none'}${duration}`],
    ['why', send.error],
    ['certificate', send.certificateProblem],
  ]
}

interface ShownSend {
  readonly send: ListedSend
  readonly method: string | null
  readonly request: StoredMessage | null
  readonly answer: StoredMessage | null
}

async function readSend(client: Client, id: string): Promise<ShownSend> {
  const { headers, base64, truncated, request, ...send } = await client.call('replay.send', { id })
  const { event, receivedAt } = await client.call('deliveries.get', { id: send.deliveryId })
  const bytesOf = (text: string) => Buffer.from(text, 'base64')
  return {
    send: { ...send, event, receivedAt },
    method: request?.method ?? null,
    request: request && {
      headers: request.headers,
      bytes: bytesOf(request.base64),
      truncated: request.truncated,
    },
    answer: send.status === null ? null : { headers, bytes: bytesOf(base64), truncated },
  }
}

export async function showSend(client: Client, output: Output, id: string): Promise<void> {
  const { send, method, request, answer } = await readSend(client, id)
  const json = {
    ...storedJson(send),
    request: request && { method, ...messageJson(request) },
    answer: answer && messageJson(answer),
  }
  const print = (
    title: string,
    first: string,
    message: StoredMessage | null,
    otherwise: string,
  ) => {
    output.heading(title)
    output.lines(message === null ? [otherwise] : [first, ...messageLines(message)])
  }
  output.result(json, () => {
    output.facts(overviewRows(send))
    print('Request', `${method ?? ''} ${send.target}`, request, '(nothing sent, or not stored)')
    print('Response', String(send.status), answer, '(no response)')
  })
}
