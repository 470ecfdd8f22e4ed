/**
 * The requests and responses of a run's steps for its report, with masked secrets and header
 * values.
 */
import { utf8Text } from '../../shared/body/encoding.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import { unlessRefused } from '../base/async.ts'
import type { FlowPayload, StepPayloads } from '../flows/reports.ts'
import type { Masking } from '../import-export/masking.ts'
import { maskedDelivery, maskingFor, maskedSend } from '../import-export/masked-records.ts'
import type { Services } from './services.ts'

const MAX_BYTES = 65_536

function bodyText(bytes: Uint8Array, size: number): string {
  const text = utf8Text(bytes.subarray(0, MAX_BYTES), true)
  if (text === null) return `${size.toLocaleString('en')} bytes that aren't text`
  return size > MAX_BYTES ? `${text}…` : text
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

async function payloadOfRequest(
  { store }: Services,
  id: string,
  masking: Masking,
): Promise<FlowPayload> {
  const delivery = await store.read('get', id)
  const { method, path, headers } = maskedDelivery(delivery, masking)
  const { bytes } = await store.read('body', { seq: delivery.seq })
  const masked = await maskingFor(delivery, masking).body(
    bytes,
    delivery.headers,
    delivery.truncated,
  )
  return payload(`${method ?? ''} ${path ?? ''}`.trim(), headers, masked, masked.length)
}

async function payloadOfResponse(
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

export async function payloadsOfRun(
  services: Services,
  run: FlowRun,
  masking: Masking,
): Promise<StepPayloads> {
  const ofStep = async ({ index, kind, deliveryId, response }: FlowRunStep) => {
    const sendId = response?.sendId ?? null
    // A delivery or send may have been deleted since.
    return [
      index,
      {
        request:
          kind !== 'delivery' || deliveryId === null
            ? null
            : await unlessRefused(payloadOfRequest(services, deliveryId, masking)),
        response:
          sendId === null
            ? null
            : await unlessRefused(payloadOfResponse(services, sendId, masking)),
      },
    ] as const
  }
  return new Map(await Promise.all(run.steps.map(ofStep)))
}
