/** Reads the sides of a comparison: deliveries, files or sends. */
import type { RawHeaders } from '../shared/model/delivery.ts'
import type { SendAnswer } from '../shared/model/send.ts'
import { utf8Text, contentEncodings } from '../shared/body/encoding.ts'
import type { Client } from '../shared/rpc/client.ts'
import { wholeBody } from './delivery-body.ts'
import { localTimeText } from './delivery-table.ts'
import { readNamedFile } from './options/input-files.ts'
import { pick } from './print.ts'
import { AppError } from '../shared/contract/errors.ts'
import { parseLatestRef } from '../shared/model/delivery-ref.ts'
import { UsageError } from './context.ts'

/** Number of sends that are searched for the previous one. */
const MOST_SENDS = 200

/** Headers and body of a request or response; a file has no headers. */
export interface SideMessage {
  readonly bytes: Uint8Array
  /** Decoded body; null if it isn't UTF-8. */
  readonly text: string | null
  /** Whether only the start of the body is stored. */
  readonly isCut: boolean
  readonly headers: RawHeaders | null
  /** Headers as printed, in the positions of `headers`. */
  readonly shownHeaders: RawHeaders | null
}

/** A delivery or a file, or a send with its status. */
export interface ComparedSide {
  readonly title: string
  readonly deliveryId: string | null
  readonly hookId: string | null
  /** Messages by name, null if one is missing; a delivery or file has one without a name. */
  readonly messages: Readonly<Record<string, SideMessage | null>>
  readonly json: object
  readonly signed: {
    readonly url: string | null
    readonly timestamp: string | null
    readonly hookId: string | null
  } | null
  readonly sent?: Pick<SendAnswer, 'status' | 'ms'>
}

export async function readSide(client: Client, ref: string): Promise<ComparedSide> {
  if (ref.startsWith('@')) {
    const title = ref.slice(1)
    const bytes = readNamedFile(title)
    const text = utf8Text(bytes, false)
    const file = { bytes, text, isCut: false, headers: null, shownHeaders: null }
    const json = { id: null, title, signed: null }
    return { title, deliveryId: null, hookId: null, messages: { '': file }, json, signed: null }
  }
  const delivery = await client.call('deliveries.get', { id: ref, masked: 'none' })
  const { id, headers, truncated } = delivery
  const { headers: shownHeaders } = await client.call('deliveries.get', { id })
  const { url, timestamp, hookId } = await client.call('deliveries.signature', { id })
  const bytes = await wholeBody(client, id)
  const isEncoded = contentEncodings(headers).length > 0
  const content = isEncoded ? await wholeBody(client, id, 'bodies.decoded') : bytes
  const text = utf8Text(content, truncated || isEncoded)
  const signed = { url, timestamp, hookId }
  const title = `${delivery.event ?? 'delivery'} ${localTimeText(delivery.receivedAt)} ${id}`
  return {
    title,
    deliveryId: id,
    hookId: delivery.hookId,
    messages: { '': { bytes, text, isCut: truncated, headers, shownHeaders } },
    json: { id, title, signed },
    signed,
  }
}

/** Reads a send. Its time is shown but doesn't count as a difference. */
export async function readSendSide(client: Client, send: SendAnswer): Promise<ComparedSide> {
  const { id, deliveryId } = send
  const shown = await client.call('replay.send', { id })
  const { startedAt, target, status, ms } = shown
  const { hookId } = await client.call('deliveries.get', { id: deliveryId })
  const message = (
    { base64, truncated, headers }: Pick<SendAnswer, 'headers' | 'base64' | 'truncated'>,
    { headers: shownHeaders }: Pick<SendAnswer, 'headers'>,
  ): SideMessage => {
    const bytes = Buffer.from(base64, 'base64')
    return { bytes, text: utf8Text(bytes, truncated), isCut: truncated, headers, shownHeaders }
  }
  return {
    title: `replay ${id}${startedAt === null ? '' : ` ${localTimeText(startedAt)}`} to ${target}`,
    deliveryId,
    hookId,
    messages: {
      response: status === null ? null : message(send, shown),
      request: send.request && shown.request && message(send.request, shown.request),
    },
    json: pick(shown, 'id', 'deliveryId', 'target', 'startedAt', 'status', 'ms', 'error'),
    signed: null,
    sent: { status, ms },
  }
}

async function findSend(client: Client, ref: string): Promise<SendAnswer | null> {
  if (ref.startsWith('@') || parseLatestRef(ref) !== null) return null
  const find = () => client.call('replay.send', { id: ref, masked: 'none' })
  if (/\.\d+$/.test(ref)) return find()
  try {
    await client.call('deliveries.get', { id: ref })
    return null
  } catch (error) {
    const isUnknown =
      error instanceof AppError && error.code === 'NOT_FOUND' && error.details === undefined
    if (!isUnknown) throw error
    return find().catch((missing: unknown) => {
      // Only errors about existing replays have details.
      throw missing instanceof AppError && missing.details !== undefined ? missing : error
    })
  }
}

/** Returns the closest match: an earlier attempt, the auth, or the event's previous delivery. */
export async function findClosestMatch(client: Client, ref: string): Promise<string> {
  if (ref.startsWith('@')) throw new UsageError('To compare a file, also pass a delivery ID.')
  const { id } = await client.call('deliveries.get', { id: ref })
  const { offers } = await client.call('compare.offers', { deliveryId: id })
  const [first] = offers
  if (first !== undefined) return first.delivery.id
  throw new AppError(
    'NOT_FOUND',
    `No earlier delivery is similar to ${ref}. Pass the ID of a delivery to compare it with.`,
  )
}

/**
 * Returns the two sends that the references name, or a send and the previous one; null for
 * deliveries or files.
 */
export async function findSendPair(
  client: Client,
  a: string,
  b: string | undefined,
): Promise<readonly [SendAnswer, SendAnswer] | null> {
  const first = await findSend(client, a)
  const second = b === undefined ? null : await findSend(client, b)
  if (first === null && second === null) return null
  if (first !== null && second !== null) return [first, second]
  if (first === null || b !== undefined)
    throw new UsageError('Compare two deliveries or two replays, not one of each.')
  const { sends } = await client.call('replay.ofDelivery', {
    id: first.deliveryId,
    limit: MOST_SENDS,
  })
  const index = sends.findIndex(({ id }) => id === first.id)
  const previous =
    index === -1 ? undefined : sends.slice(index + 1).find(({ state }) => state === 'settled')
  if (previous === undefined)
    throw new AppError(
      'NOT_FOUND',
      `No replay before ${a}. Pass the ID of a replay to compare it with.`,
    )
  return [await client.call('replay.send', { id: previous.id, masked: 'none' }), first]
}
