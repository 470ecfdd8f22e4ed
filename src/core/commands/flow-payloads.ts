/** The requests and responses of a run's steps for its report, with masked secrets and header values. */
import type { FlowRun, FlowRunStep } from '../../shared/model/flow.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { FlowPayload, StepPayloads } from '../flows/reports.ts'
import {
  maskedDelivery,
  maskedSend,
  maskingFor,
  maskingOf,
  type Masking,
} from '../transfer/masking.ts'
import type { Services } from './services.ts'

/** Larger bodies are cut: a report is read by people. */
const MOST_BYTES = 65_536

function bodyText(bytes: Uint8Array, size: number): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, MOST_BYTES), {
      stream: true,
    })
    return size > MOST_BYTES ? `${text}…` : text
  } catch {
    return `${size.toLocaleString('en')} bytes that aren't text`
  }
}

const payload = (
  line: string,
  headers: RawHeaders,
  bytes: Uint8Array,
  size: number,
): FlowPayload => ({
  line,
  headers: [...headers],
  body: bodyText(bytes, size),
})

async function requestOf({ store }: Services, id: string, masking: Masking): Promise<FlowPayload> {
  const delivery = await store.read('get', id)
  const { method, path, headers } = maskedDelivery(delivery, masking)
  const { bytes } = await store.read('body', {
    seq: delivery.seq,
    offset: 0,
    length: delivery.bodySize,
  })
  const masked = await maskingFor(delivery, masking).body(bytes, delivery.headers)
  return payload(`${method ?? ''} ${path ?? ''}`.trim(), headers, masked, masked.length)
}

async function responseOf(
  { replays }: Services,
  sendId: string,
  masking: Masking,
): Promise<FlowPayload> {
  const { status, error, headers, base64 } = await maskedSend(await replays.send(sendId), masking)
  const bytes = Buffer.from(base64, 'base64')
  return payload(
    status === null ? (error ?? 'No response') : String(status),
    headers,
    bytes,
    bytes.length,
  )
}

/** A delivery or send may have been deleted since. */
async function unlessDeleted(read: Promise<FlowPayload>): Promise<FlowPayload | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

export async function payloadsOfRun(services: Services, run: FlowRun): Promise<StepPayloads> {
  const masking = await maskingOf(services, 'strict')
  const ofStep = async ({ index, kind, deliveryId, response }: FlowRunStep) => {
    const sendId = response?.sendId ?? null
    return [
      index,
      {
        request:
          kind !== 'delivery' || deliveryId === null
            ? null
            : await unlessDeleted(requestOf(services, deliveryId, masking)),
        response:
          sendId === null ? null : await unlessDeleted(responseOf(services, sendId, masking)),
      },
    ] as const
  }
  return new Map(await Promise.all(run.steps.map(ofStep)))
}
