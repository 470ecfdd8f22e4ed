/**
 * The tray: whether this desktop shows one, and what it says about capture and the last delivery.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { DeliveryRow } from '../shared/model/delivery.ts'
import type { ReceiverStatus } from '../shared/model/status.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import { shortMoment } from '../shared/text/time-text.ts'

export interface TrayFacts {
  readonly receiver: ReceiverStatus
  readonly last: Pick<DeliveryRow, 'event' | 'verdict' | 'malformed' | 'receivedAt'> | null
}

export interface TrayState {
  readonly lines: readonly string[]
  readonly paused: boolean
  /** False if capture failed or hasn't started. */
  readonly canPause: boolean
  readonly tooltip: string
  readonly icon: 'receiving' | 'idle'
}

function receiverLine({ state, url, problem }: ReceiverStatus): string {
  if (state === 'listening') return `Receiving on ${url?.replace('https://', '') ?? ''}`
  if (state === 'paused') return 'Paused: deliveries get a 503'
  return state === 'failed' ? (problem ?? 'The receiver is not listening') : 'Not receiving'
}

const verdicts: Readonly<Record<DeliveryRow['verdict'], string>> = {
  valid: 'valid',
  invalid: 'invalid signature',
  unsigned: 'unsigned',
  'unknown-hook': 'unknown hook',
}

function lastDeliveryLine(last: TrayFacts['last'], now: number): string {
  if (last === null) return 'No deliveries yet'
  const subject = last.malformed === null ? (last.event ?? 'unknown event') : 'malformed request'
  return `Last: ${subject}, ${verdicts[last.verdict]}, ${shortMoment(new Date(last.receivedAt), new Date(now))}`
}

/** Characters of a label that Windows shows. */
const LONGEST_TOOLTIP = 127

export function trayState({ receiver, last }: TrayFacts, now: number): TrayState {
  const { state } = receiver
  const lines = [receiverLine(receiver), lastDeliveryLine(last, now)]
  return {
    lines,
    paused: state === 'paused',
    canPause: state === 'listening' || state === 'paused',
    tooltip: [PRODUCT_NAME, ...lines].join('\n').slice(0, LONGEST_TOOLTIP),
    icon: state === 'listening' ? 'receiving' : 'idle',
  }
}

/** Program that shows tray icons on Linux. */
const WATCHER = 'org.kde.StatusNotifierWatcher'
const BUS = 'org.freedesktop.DBus'
const OWNER = `${BUS}.NameHasOwner`

/** Tools that ask the session bus whether the watcher runs; each prints `true` or `false`. */
const busQueries = [
  {
    tool: 'gdbus',
    args: ['call', '--session', '--dest', BUS, '--object-path', '/', '--method', OWNER, WATCHER],
  },
  { tool: 'busctl', args: ['--user', 'call', BUS, '/', BUS, 'NameHasOwner', 's', WATCHER] },
  {
    tool: 'dbus-send',
    args: ['--session', '--print-reply', `--dest=${BUS}`, '/', OWNER, `string:${WATCHER}`],
  },
]

const PATIENCE_MS = 2_000

/** Rejects if the program is missing, fails or takes too long. */
export type RunTool = (tool: string, args: readonly string[]) => Promise<string>

const runTool: RunTool = async (tool, args) =>
  (await promisify(execFile)(tool, args, { timeout: PATIENCE_MS, windowsHide: true })).stdout

/**
 * Whether this desktop shows tray icons; on Linux, whether a program has registered for them on the
 * session bus.
 */
export async function hasTrayHost(
  platform: NodeJS.Platform,
  run: RunTool = runTool,
): Promise<boolean> {
  if (platform === 'darwin' || platform === 'win32') return true
  for (const { tool, args } of busQueries) {
    const answer = await run(tool, args).catch(() => null)
    if (answer !== null) return /\btrue\b/.test(answer)
  }
  return false
}
