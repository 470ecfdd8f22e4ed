/** Connections that outlive the core behind them: a window opens before its core, and a repair replaces the core. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { Core } from './core.ts'

/** A connection that outlives the core behind it. */
export type CoreLine = ReturnType<typeof createLine>

const REQUEST = /^\{"kind":"request","id":(\d+)/
const RESPONSE = /^\{"kind":"response","id":(\d+)/
/** Characters of a message searched for its number. */
const HEAD_LENGTH = 64

/** Messages that arrive while there is no core wait for the next one. */
export function createLine(transport: Transport) {
  const unanswered = new Set<number>()
  let waiting: string[] = []
  let deliver: ((text: string) => void) | null = null
  let end: () => void = () => undefined
  const idOf = (pattern: RegExp, text: string) =>
    Number(pattern.exec(text.slice(0, HEAD_LENGTH))?.[1] ?? Number.NaN)
  const take = (text: string) => {
    if (deliver === null) {
      waiting.push(text)
      return
    }
    const id = idOf(REQUEST, text)
    if (!Number.isNaN(id)) unanswered.add(id)
    deliver(text)
  }
  const stop = transport.onMessage(take)
  return {
    connect(core: Pick<Core, 'connect'>) {
      end = core.connect({
        send(text) {
          unanswered.delete(idOf(RESPONSE, text))
          transport.send(text)
        },
        onMessage(listener) {
          deliver = listener
          return () => {
            deliver = null
          }
        },
      })
      const held = waiting
      waiting = []
      for (const text of held) take(text)
    },
    /** Ends the connection to the present core; pending calls are rejected with `DISCONNECTED` and this message. */
    disconnect(message: string) {
      end()
      deliver = null
      const error = new AppError('DISCONNECTED', message).toWire()
      for (const id of unanswered)
        transport.send(JSON.stringify({ kind: 'response', id, ok: false, error }))
      unanswered.clear()
    },
    close() {
      stop()
      end()
    },
  }
}
