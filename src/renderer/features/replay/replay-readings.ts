/** Data for the replay screens: captured request, known targets, preview and results. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { ListedSend } from '../../../shared/model/send.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../../ui/bytes.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export interface ReplayReadings {
  /** A delivery with its body; the body is null above `most` bytes. */
  readCaptured(id: string, most: number): Promise<CallResult<{ readonly delivery: Delivery; readonly body: Uint8Array | null }>>
  /** Empty on failure: targets are only suggestions. */
  readTargets(): Promise<OutputOf<'replay.targets'>>
  preview(input: InputOf<'replay.preview'>): Promise<CallResult<OutputOf<'replay.preview'>>>
  readSends(input: InputOf<'replay.sends'>): Promise<CallResult<readonly ListedSend[]>>
}

export function createReplayReadings(client: Client): ReplayReadings {
  return {
    readCaptured: (id, most) =>
      outcomeOf(
        (async () => {
          const delivery = await client.call('deliveries.get', { id })
          if (delivery.bodySize > most || delivery.truncated) return { delivery, body: null }
          const pieces: Uint8Array[] = []
          for (let read = 0; read < delivery.bodySize; read += pieces.at(-1)?.length ?? 0) {
            const piece = fromBase64((await client.call('deliveries.body', { id, offset: read })).base64)
            if (piece.length === 0) break
            pieces.push(piece)
          }
          return { delivery, body: concatenated(pieces) }
        })(),
      ),
    readTargets: () => client.call('replay.targets', {}).catch(() => ({ byHook: {}, recent: [] })),
    preview: (input) => outcomeOf(client.call('replay.preview', input)),
    readSends: (input) => outcomeOf(client.call('replay.sends', input).then(({ sends }) => sends)),
  }
}
