/** Starts a replay through the contract: there may be a million sends to write down before the first goes. */
import { randomUUID } from 'node:crypto'
import { AppError } from '../shared/contract/errors.ts'
import type { InputOf } from '../shared/contract/contract.ts'
import type { ReplayJob } from '../shared/model/send.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { CommandContext } from './context.ts'
import { cancellable } from './lifetime.ts'

/** So seldom is it said how far it is, in milliseconds. */
const TELL_MS = 2_000

/**
 * Resolves with the job once its first sends go. The first interruption from the keyboard gives it up before that: it rejects with
 * `CANCELLED`, with nothing sent. Rejects with what `replay.start` refuses.
 */
export async function startReplay(
  client: Client,
  input: Omit<InputOf<'replay.start'>, 'startId'>,
  { output, now }: Pick<CommandContext, 'output' | 'now'>,
): Promise<ReplayJob> {
  const startId = randomUUID()
  const givingUp = new AbortController()
  const { signal } = givingUp
  let toldAt = now()
  const stopListening = client.on('replay.preparing', (told) => {
    if (told.startId !== startId || now() - toldAt < TELL_MS) return
    toldAt = now()
    const { written, total } = told
    output.note(`${written.toLocaleString('en')} of ${total.toLocaleString('en')} sends written down; none has gone yet.`)
  })
  try {
    const start = () => client.call('replay.start', { ...input, startId }, { signal })
    return (await cancellable(() => givingUp.abort(), start)).job
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError('CANCELLED', 'The replay was given up before its first send went: nothing was sent.')
  } finally {
    stopListening()
  }
}
