/** Prints sends, a table of them or one with its request and response, with credentials masked; follows a replay's sends. */
import { utf8Text } from '../shared/body/encoding.ts'
import { outcomeOfSend, changeWords } from '../shared/model/outcomes.ts'
import type { ListedSend, ReplayJob, Send, SendState } from '../shared/model/send.ts'
import type { Statistics } from '../shared/model/statistics.ts'
import type { Client } from '../shared/rpc/client.ts'
import { signedUrlOf } from '../shared/model/replay-edits.ts'
import { messageLines, type StoredMessage } from './delivery-body.ts'
import { localTimeText } from './delivery-table.ts'
import { followRun } from './lifetime.ts'
import { grey, outcomeCell, pick, right, type Cell, type Output } from './print.ts'
import type { Session } from './session.ts'

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
  const { event, kind, registeredUrl, startedAt, status, ms, phases } = send
  const signedOver =
    registeredUrl === null ? 'not re-signed' : signedUrlOf(registeredUrl, send.tamper)
  const { word, why } = outcomeOfSend(send)
  const parts =
    phases === null
      ? ''
      : ` (connect ${milliseconds(phases.connect)}, wait ${milliseconds(phases.wait)}, read ${milliseconds(phases.body)})`
  const took = ms === null ? '' : ` after ${milliseconds(ms)}${parts}`
  return [
    ['id', send.id],
    ['delivery', `${send.deliveryId}${event === null ? '' : ` (${event})`}`],
    [kind === 'replay' ? 'replay' : kind === 'forward' ? 'target' : 'flow run', send.jobId],
    [
      'sent',
      startedAt === null ? unsentWords[send.state] : `${localTimeText(startedAt)} (${startedAt})`,
    ],
    ['to', send.target],
    ['signed URL', startedAt && signedOver],
    ['changed', sendChanges(send) || null],
    ['outcome', why === '' ? word : `${word}, ${why}`],
    ['answer', `${status ?? 'none'}${took}`],
    ['why', send.error],
    ['certificate', send.certificateProblem],
  ]
}

interface ShownSend {
  readonly send: ListedSend
  readonly method: string | null
  /** Null if nothing was sent, or it isn't stored. */
  readonly request: StoredMessage | null
  /** Null without a response. */
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

/** Shows one send. Rejects with `NOT_FOUND` if it doesn't exist. */
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
  const shown = outcomeOfSend(send)
  return [
    outcomeCell(shown),
    event ?? '-',
    deliveryId,
    right(status === null ? '–' : String(status)),
    right(ms === null ? '' : `${ms.toFixed(0)} ms`),
    target,
    error ?? shown.why,
  ]
}

export function createSendPrinter(output: Output): (sends: readonly ListedSend[]) => void {
  return output.printer(sendCells, sendJson)
}

// Follows a replay to its end.

const PAGE = 500

function hasEnded({ state }: ListedSend): boolean {
  return state !== 'waiting' && state !== 'under-way'
}

/**
 * Resolves with the finished job; `take` receives its sends in order. The first Ctrl+C cancels: sends in progress finish. Rejects
 * with `DISCONNECTED` if Countersign stops.
 */
export async function followReplay(
  session: Session,
  job: ReplayJob,
  take: (sends: readonly ListedSend[]) => void,
): Promise<ReplayJob> {
  const { client } = session
  const jobId = job.id
  let isCancelled = false
  let after = 0
  const read = async (): Promise<ReplayJob | undefined> => {
    // Reads the job first: sends that finished before it are then in the list.
    const { job: now } = await client.call('replay.get', { jobId })
    const { sends } = await client.call('replay.sends', { jobId, after, limit: PAGE })
    const open = sends.findIndex((send) => !hasEnded(send))
    const ended = open === -1 ? sends : sends.slice(0, open)
    take(ended)
    after = ended.at(-1)?.position ?? after
    if (ended.length === PAGE) return read()
    return now.state === 'running' ? undefined : now
  }
  return followRun(session, {
    event: 'replay.changed',
    read,
    cancel() {
      isCancelled = true
      return client.call('replay.cancel', { jobId })
    },
    gone: () =>
      `Countersign stopped during the replay. ${isCancelled ? 'If it was not cancelled, continue with' : 'Continue with'}: countersign replay --resume ${jobId}`,
  })
}

/** Statistics of a replay's finished sends. Rejects with `NOT_FOUND` for an unknown replay. */
export async function sumReplayStatistics(client: Client, jobId: string): Promise<Statistics> {
  const { job } = await client.call('replay.get', { jobId })
  return client.call('replay.statistics', { jobId: job.id })
}
