/** What the tray says: whether capture is receiving, and the last delivery. Pure, so that every state has a test. */
import type { DeliveryRow } from '../shared/model/delivery.ts'
import type { ReceiverStatus } from '../shared/model/status.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import { shortMoment } from '../shared/text/moment.ts'
import type { TrayLines } from './shell-menus.ts'

export interface TrayFacts {
  readonly receiver: ReceiverStatus
  /** The newest delivery; null if there is none. */
  readonly last: Pick<DeliveryRow, 'event' | 'verdict' | 'malformed' | 'receivedAt'> | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface TrayState extends TrayLines {
  readonly tooltip: string
  /** The picture: bright while deliveries are stored. */
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

function lastLine({ last, now }: TrayFacts): string {
  if (last === null) return 'No deliveries yet'
  const what = last.malformed === null ? (last.event ?? 'unknown event') : 'malformed request'
  return `Last: ${what}, ${verdicts[last.verdict]}, ${shortMoment(new Date(last.receivedAt), new Date(now))}`
}

/** Windows cuts longer texts. */
const LONGEST_TOOLTIP = 127

export function trayState(facts: TrayFacts): TrayState {
  const { state } = facts.receiver
  const lines = [receiverLine(facts.receiver), lastLine(facts)]
  return {
    lines,
    paused: state === 'paused',
    canPause: state === 'listening' || state === 'paused',
    tooltip: [PRODUCT_NAME, ...lines].join('\n').slice(0, LONGEST_TOOLTIP),
    icon: state === 'listening' ? 'receiving' : 'idle',
  }
}
