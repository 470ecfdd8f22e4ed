/** Chromium's debugging protocol over a pipe: when this process dies, Chromium exits too. */
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export type Parameters = Readonly<Record<string, unknown>>

/** Session of one target, or of the browser. Events use the protocol's names. */
export interface CdpSession {
  readonly events: EventEmitter
  send<R = Parameters>(method: string, parameters?: Parameters): Promise<R>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Parameters
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

export interface CdpConnection {
  readonly browser: CdpSession
  session(sessionId: string): CdpSession
}

/** Uses Chromium's `--remote-debugging-pipe`: JSON texts, each followed by a NUL. */
export function connectPipe(toChromium: Writable, fromChromium: Readable): CdpConnection {
  const waiting = new Map<
    number,
    { method: string; resolve: (result: unknown) => void; reject: (error: Error) => void }
  >()
  const sessions = new Map<string, CdpSession>()
  let nextId = 1
  let ended = false

  const makeSession = (sessionId: string | undefined): CdpSession => ({
    events: new EventEmitter().setMaxListeners(0),
    send<R>(method: string, parameters: Parameters = {}) {
      return new Promise<R>((resolve, reject) => {
        if (ended) {
          reject(new Error(`${method}: Chromium has ended`))
          return
        }
        const id = nextId++
        waiting.set(id, { method, resolve: resolve as (result: unknown) => void, reject })
        toChromium.write(`${JSON.stringify({ id, method, params: parameters, sessionId })}\0`)
      })
    },
  })

  const browser = makeSession(undefined)

  const hear = (message: Message) => {
    if (message.id !== undefined) {
      const call = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.error === undefined) call?.resolve(message.result)
      else call?.reject(new Error(`${call.method}: ${message.error.message}`))
      return
    }
    const session = message.sessionId === undefined ? browser : sessions.get(message.sessionId)
    if (message.method !== undefined) session?.events.emit(message.method, message.params)
  }

  let rest = Buffer.alloc(0)
  fromChromium.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      const text = rest.subarray(0, end).toString('utf8')
      rest = rest.subarray(end + 1)
      hear(JSON.parse(text) as Message)
    }
  })
  fromChromium.on('close', () => {
    ended = true
    for (const call of waiting.values())
      call.reject(new Error(`${call.method}: Chromium has ended`))
    waiting.clear()
  })
  toChromium.on('error', () => {
    // The pipe closes with Chromium; pending calls are rejected above.
  })

  return {
    browser,
    session(sessionId) {
      const session = sessions.get(sessionId) ?? makeSession(sessionId)
      sessions.set(sessionId, session)
      return session
    },
  }
}
