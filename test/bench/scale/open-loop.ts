/**
 * An open-loop load over HTTPS from a separate process: deliveries are due at fixed intervals,
 * whether or not the previous one got a response, and times count from when a delivery was due. Run
 * as a child process: `node open-loop.ts`, options as JSON on stdin, result on stdout.
 */
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { answerLength, buildRequests, open, type LoadOptions } from '../ingest/load.ts'

export interface OpenLoopOptions extends LoadOptions {
  readonly perSecond: number
}

export interface OpenLoopResult {
  readonly sent: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly refused: number
}

async function run(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const requests = buildRequests(options)
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, () => open(options)),
  )
  const idle: TLSSocket[] = [...sockets]
  const due: { at: number; request: Buffer }[] = []
  const latencies: number[] = []
  const under = new Map<TLSSocket, number>()
  let refused = 0
  let answered = 0

  const send = () => {
    while (due.length > 0 && idle.length > 0) {
      const socket = idle.pop()!
      const { at, request } = due.shift()!
      under.set(socket, at)
      socket.write(request)
    }
  }
  for (const socket of sockets) {
    let pending: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const length = answerLength(pending)
      if (length === 0) return
      if (pending.toString('latin1', 9, 12) !== '200') refused++
      pending = pending.subarray(length)
      answered++
      latencies.push(performance.now() - under.get(socket)!)
      idle.push(socket)
      send()
    })
  }

  const startedAt = performance.now()
  const count = Math.floor((options.seconds + options.warmUp) * options.perSecond)
  const counted = Math.floor(options.warmUp * options.perSecond)
  for (let sent = 0; sent < count;) {
    const now = performance.now() - startedAt
    for (; sent < count && (sent * 1_000) / options.perSecond <= now; sent++) {
      due.push({
        at: startedAt + (sent * 1_000) / options.perSecond,
        request: requests[sent % requests.length]!,
      })
    }
    send()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  for (let waits = 0; answered < count && waits < 1_000; waits++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  for (const socket of sockets) socket.destroy()
  const sorted = latencies.slice(counted).toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    sent: count,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    refused: refused + count - answered,
  }
}

process.stdout.write(
  JSON.stringify(await run(JSON.parse(await text(process.stdin)) as OpenLoopOptions)),
)
