/**
 * Prints sends: a table of them, or one with its request and response. Credentials are masked.
 */
import { printableText } from '../shared/text/printable.ts'
import { utf8Text } from '../shared/body/encoding.ts'
import { byteSize } from '../shared/text/counted.ts'
import type { RawHeaders } from '../shared/model/delivery.ts'
import { lookOfSend, changeWords } from '../shared/model/outcomes.ts'
import type { ListedSend, SendState, Send } from '../shared/model/send.ts'
import type { Client } from '../shared/rpc/client.ts'
import { signedUrlOf } from '../shared/model/replay-edits.ts'
import { maskingUnless } from './delivery-body.ts'
import { localTimeText } from './delivery-table.ts'
import { createColumns, pick, type Cell, type Output, outcomeCell } from './output.ts'

const SENDS_SHOWN = 50

const milliseconds = (ms: number) => `${ms.toFixed(1)} ms`

/** One object of `replay --sends --json`: everything stored except request and response. */
function storedJson(send: ListedSend): Record<string, unknown> {
  const { registeredUrl, tamper } = send
  return {
    ...sendJson(send),
    ...pick(send, 'jobId', 'kind'),
    signedUrl: registeredUrl === null ? null : signedUrlOf(registeredUrl, tamper),
    ...pick(send, 'tamper', 'edited', 'state', 'tries', 'startedAt', 'phases'),
    certificateProblem: send.certificateProblem,
  }
}

function listedCells(send: ListedSend): Cell[] {
  const { id, startedAt, status, ms, target, error } = send
  return [
    { text: startedAt === null ? 'not yet' : localTimeText(startedAt), colour: 'grey' },
    outcomeCell(lookOfSend(send)),
    { text: status === null ? '–' : String(status), align: 'right' },
    { text: ms === null ? '' : milliseconds(ms), align: 'right' },
    { text: target },
    { text: id, colour: 'grey' },
    { text: [sendChanges(send), error ?? ''].filter((text) => text !== '').join('; ') },
  ]
}

export async function listSends(
  client: Client,
  output: Output,
  ref: string,
  asJson: true | undefined,
): Promise<void> {
  const { id, event, receivedAt } = await client.call('deliveries.get', { id: ref })
  const sends = (await client.call('replay.ofDelivery', { id, limit: SENDS_SHOWN })).sends.map(
    (send) => ({
      ...send,
      event,
      receivedAt,
    }),
  )
  if (sends.length === 0)
    output.note(`No replays of ${id} yet. Replay it: countersign replay ${id} --to URL`)
  output.list(sends, asJson, listedCells, storedJson)
}

interface Message {
  readonly headers: RawHeaders
  readonly bytes: Uint8Array
  /** Only the start of the body is stored. */
  readonly truncated: boolean
}

function messageJson({ headers, bytes, truncated }: Message): Record<string, unknown> {
  return {
    headers,
    body: utf8Text(bytes, truncated),
    base64: Buffer.from(bytes).toString('base64'),
    truncated,
  }
}

function messageLines({ headers, bytes, truncated }: Message): string[] {
  const text = utf8Text(bytes, truncated)
  return [
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    ...(bytes.length === 0 ? ['(no body)'] : []),
    ...(text === null ? ['(not UTF-8 text: see the bytes with --json)'] : text.split(/\r?\n/)),
    ...(truncated ? [`(only the first ${byteSize(bytes.length)} stored)`] : []),
  ]
}

const notKnown = 'unknown: the time is saved when the send ends'

/** The time of sending, if it isn't stored. */
const unsentWords: Readonly<Record<SendState, string>> = {
  waiting: 'not yet',
  'under-way': notKnown,
  settled: notKnown,
  uncertain: notKnown,
  'not-sent': 'no',
  cancelled: 'no',
}

function overviewRows(send: ListedSend): (readonly [string, string | null])[] {
  const {
    id,
    deliveryId,
    event,
    jobId,
    kind,
    target,
    registeredUrl,
    tamper,
    state,
    startedAt,
    status,
    ms,
    phases,
    error,
  } = send
  const signedOver = registeredUrl === null ? 'not re-signed' : signedUrlOf(registeredUrl, tamper)
  const changes = sendChanges(send)
  const { word, why } = lookOfSend(send)
  const parts =
    phases === null
      ? []
      : [
          `connect ${milliseconds(phases.connect)}`,
          `wait ${milliseconds(phases.wait)}`,
          `read ${milliseconds(phases.body)}`,
        ]
  const took =
    ms === null
      ? ''
      : ` after ${milliseconds(ms)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
  return [
    ['id', id],
    ['delivery', `${deliveryId}${event === null ? '' : ` (${event})`}`],
    [kind === 'replay' ? 'replay' : kind === 'forward' ? 'target' : 'flow run', jobId],
    [
      'sent',
      startedAt === null ? unsentWords[state] : `${localTimeText(startedAt)} (${startedAt})`,
    ],
    ['to', target],
    ['signed URL', startedAt && signedOver],
    ['changed', changes || null],
    ['outcome', why === '' ? word : `${word}, ${why}`],
    ['answer', status === null ? `none${took}` : `${status}${took}`],
    ['why', error],
    ['certificate', send.certificateProblem],
  ]
}

interface ShownSend {
  readonly send: ListedSend
  readonly method: string | null
  /** Null if nothing was sent, or it isn't stored. */
  readonly request: Message | null
  /** Null without a response. */
  readonly answer: Message | null
}

async function readSend(client: Client, id: string, includeSecrets: boolean): Promise<ShownSend> {
  const { headers, base64, truncated, request, ...send } = await client.call('replay.send', {
    id,
    masked: maskingUnless(includeSecrets),
  })
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

/** Shows one send. Rejects with `NOT_FOUND` if it doesn't exist. */
export async function showSend(
  client: Client,
  output: Output,
  id: string,
  {
    asJson,
    includeSecrets,
  }: { readonly asJson: true | undefined; readonly includeSecrets: boolean },
): Promise<void> {
  const { send, method, request, answer } = await readSend(client, id, includeSecrets)
  if (asJson === true) {
    output.json({
      ...storedJson(send),
      request: request && { method, ...messageJson(request) },
      answer: answer && messageJson(answer),
    })
    return
  }
  output.facts(overviewRows(send))
  const tell = (title: string, first: string, message: Message | null, otherwise: string) => {
    output.heading(title)
    for (const line of message === null ? [otherwise] : [first, ...messageLines(message)])
      output.line(printableText(line))
  }
  tell('Request', `${method ?? ''} ${send.target}`, request, '(nothing sent, or not stored)')
  tell('Response', String(send.status), answer, '(no response)')
}

// Prints sends one by one, each once it has finished.

/** How the request differs from the captured one; empty if it doesn't. */
function sendChanges(one: Pick<Send, 'tamper' | 'edited'>): string {
  return changeWords(one).join('; ')
}

/** One line of `--json`. Without an outcome, it has the state. */
function sendJson(send: ListedSend): Record<string, unknown> {
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

/** Prints each send as a table row or a JSON object. */
export function createSendPrinter(
  output: Output,
  asJson: boolean,
): (sends: readonly ListedSend[]) => void {
  const columns = createColumns(output)
  return (sends) => {
    if (asJson) for (const send of sends) output.json(sendJson(send))
    else output.lines(columns(sends.map(sendCells)))
  }
}
