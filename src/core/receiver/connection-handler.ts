/**
 * Handles the receiver's connections. A fault is stored with the request that was being read,
 * otherwise by itself; each connection reports only its first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Clock, Log } from '../base/deps.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import {
  type SocketState,
  socketStateOf,
  isQuietEnd,
  isQuietHandshake,
  remoteOf,
} from './socket-state.ts'
import { HeldBodies } from './held-bodies.ts'
import {
  type ClientError,
  handshakeReasonOf,
  interruptionReasonOf,
  linesReasonOf,
  reasonOf,
  statusOf,
  versionReasonOf,
} from './malformed-reasons.ts'
import { NoRoomError, readBody } from './read-body.ts'
import type { ReceiverLimits } from './receiver-limits.ts'
import {
  emptyBody,
  type OversizedVerification,
  type ReceivedBody,
  type ReceivedRequest,
} from './request.ts'
import { sentHeaders, type ReportedDecision } from './responses.ts'

export interface HandlerDeps {
  readonly clock: Clock
  readonly log: Log
  /** Stores the request and returns the response; never rejects. */
  take(request: ReceivedRequest): Promise<ReportedDecision>
  judgeStream(target: string): OversizedVerification
}

/** Milliseconds for the sender of a fault to read the response. */
export const LINGER_MS = 1_000

interface BareResponse extends Pick<ReportedDecision, 'onAnswered'> {
  readonly status: number
  readonly header?: string
}

/** Response if no body fits; senders can retry as soon as another body is stored. */
const NO_ROOM: BareResponse = {
  status: 503,
  header: 'Retry-After: 1',
  onAnswered: () => undefined,
}

export class ConnectionHandler {
  readonly #deps: HandlerDeps
  readonly #limits: ReceiverLimits
  readonly #heldBodies: HeldBodies

  constructor(deps: HandlerDeps, limits: ReceiverLimits) {
    this.#deps = deps
    this.#limits = limits
    // Any single body fits, whatever its size.
    this.#heldBodies = new HeldBodies(() => Math.max(limits.bytesInFlight, limits.bodyBytes()))
  }

  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const socketState = socketStateOf(request.socket)
    socketState.inProgress++
    this.#handle(request, response, socketState)
      .catch((error: unknown) => {
        this.#reportBug(error)
        response.destroy()
      })
      .finally(() => {
        socketState.inProgress--
        if (socketState.inProgress > 0) return
        socketState.whenIdle?.()
        socketState.whenIdle = null
      })
  }

  /** Stores a CONNECT or upgrade like any other request. */
  readonly onConnect = (request: IncomingMessage, socket: Duplex): void => {
    const { clock } = this.#deps
    const endedAt = clock.monotonic()
    // The sender is gone; the received part is stored.
    socket.on('error', () => undefined)
    const remote = remoteOf(request.socket)
    this.#take(request, { receivedAt: clock.now(), body: emptyBody(), remote, malformed: null })
      .then(({ status, onAnswered }) =>
        this.#respondAndClose(socket, { status, onAnswered }, endedAt),
      )
      .catch(this.#reportBug)
  }

  readonly onMalformed = (error: ClientError, socket: Duplex): void => {
    const endedAt = this.#deps.clock.monotonic()
    const socketState = socketStateOf(socket)
    const { reading } = socketState
    if (reading !== null) {
      reading.fault = error
      if (reading.stop()) return
    }
    // More of a rejected request: closing the connection now would lose the response.
    if (socketState.hasReportedFault) return
    if (isQuietEnd(error, socket)) {
      socket.destroy()
      return
    }
    socketState.hasReportedFault = true
    this.#takeUnreadable(
      reasonOf(error, { isEncrypted: socket instanceof TLSSocket }),
      socket,
      error.rawPacket,
    )
      .then(({ onAnswered }) =>
        this.#respondAndClose(socket, { status: statusOf(error), onAnswered }, endedAt),
      )
      .catch(this.#reportBug)
  }

  readonly onHandshakeFailed = (error: ClientError, socket: Duplex): void => {
    const endedAt = this.#deps.clock.monotonic()
    const socketState = socketStateOf(socket)
    const isReported = socketState.hasReportedFault || isQuietHandshake(error, socket)
    socketState.hasReportedFault = true
    if (!isReported) {
      this.#takeUnreadable(handshakeReasonOf(error), socket)
        .then(({ onAnswered }) => onAnswered(null, this.#msSince(endedAt)))
        .catch(this.#reportBug)
    }
    socket.destroy()
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    socketState: SocketState,
  ): Promise<void> {
    const { clock } = this.#deps
    const { socket } = request
    const remote = remoteOf(socket)
    const read = await this.#read(request, socketState)
    if (read === null) return
    const { body, fault } = read
    // Taken after the body, so that deliveries are stored in the order of their times.
    const receivedAt = clock.now()
    const endedAt = clock.monotonic()
    const tooManyLines = linesReasonOf(request, this.#limits.headerLines)
    const malformed = body.aborted
      ? interruptionReasonOf(fault, body.size, request.headers['content-length'])
      : (tooManyLines ?? versionReasonOf(request.httpVersion))
    if (malformed !== null) socketState.hasReportedFault = true
    const decision = await this.#take(request, { receivedAt, body, remote, malformed })
    if (malformed === null) {
      this.#respond(response, decision, endedAt)
      return
    }
    const status = fault !== null ? statusOf(fault) : tooManyLines === null ? 400 : 431
    this.#respondAndClose(socket, { status, onAnswered: decision.onAnswered }, endedAt)
  }

  /** Resolves with null if there is no room for the body. */
  async #read(
    request: IncomingMessage,
    socketState: SocketState,
  ): Promise<{ readonly body: ReceivedBody; readonly fault: ClientError | null } | null> {
    const { socket } = request
    const started = readBody(request, this.#limits.bodyBytes(), this.#heldBodies, () =>
      this.#deps.judgeStream(request.url ?? '/'),
    )
    const reading: NonNullable<SocketState['reading']> = { stop: started.stop, fault: null }
    socketState.reading = reading
    try {
      return { body: await started.body, fault: reading.fault }
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error
      socketState.hasReportedFault = true
      this.#respondAndClose(socket, NO_ROOM, this.#deps.clock.monotonic())
      return null
    } finally {
      socketState.reading = null
      socketState.requestBytes = socket.bytesRead
    }
  }

  async #take(
    request: IncomingMessage | null,
    rest: Pick<ReceivedRequest, 'receivedAt' | 'body' | 'remote' | 'malformed'>,
  ): Promise<ReportedDecision> {
    try {
      return await this.#deps.take({
        method: request?.method ?? null,
        path: request?.url ?? null,
        httpVersion: request?.httpVersion ?? '1.1',
        headers: this.#pairsOf(request?.rawHeaders ?? []),
        trailers: this.#pairsOf(request?.rawTrailers ?? []),
        ...rest,
      })
    } finally {
      rest.body.release()
    }
  }

  #takeUnreadable(
    malformed: string,
    socket: Duplex,
    packet?: Uint8Array,
  ): Promise<ReportedDecision> {
    const body = emptyBody(packet?.subarray(0, this.#limits.headerBytes))
    const receivedAt = this.#deps.clock.now()
    return this.#take(null, { receivedAt, body, remote: remoteOf(socket as Socket), malformed })
  }

  #pairsOf(raw: readonly string[]): RawHeaders {
    const headers: RawHeaders = []
    const end = Math.min(raw.length, 2 * this.#limits.headerLines)
    for (let index = 0; index + 1 < end; index += 2) headers.push([raw[index]!, raw[index + 1]!])
    return headers
  }

  #respond(response: ServerResponse, decision: ReportedDecision, endedAt: number): void {
    let isReported = false
    const report = (status: number | null) => {
      if (isReported) return
      isReported = true
      decision.onAnswered(status, this.#msSince(endedAt))
    }
    if (response.destroyed || response.writableEnded) {
      report(null)
      return
    }
    response.once('finish', () => report(decision.status))
    if (decision.delayMs === 0) {
      response.once('close', () => report(null))
      writeAnswer(response, decision)
      return
    }
    const closed = new AbortController()
    response.once('close', () => {
      report(null)
      closed.abort()
    })
    void this.#deps.clock
      .sleep(decision.delayMs, closed.signal)
      .then(() => writeAnswer(response, decision))
  }

  /** Reads on for a moment: closing with unread bytes would lose the response. */
  #respondAndClose(
    socket: Duplex,
    { status, header, onAnswered }: BareResponse,
    endedAt: number,
  ): void {
    const socketState = socketStateOf(socket)
    const respondNow = () => {
      if (!socket.writable) {
        socket.destroy()
        onAnswered(null, this.#msSince(endedAt))
        return
      }
      const lines = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
        ...(header === undefined ? [] : [header]),
        'Connection: close',
        // A 2xx of CONNECT has no length (RFC 9110, section 9.3.6).
        ...(status < 300 ? [] : ['Content-Length: 0']),
      ]
      socket.end(`${lines.join('\r\n')}\r\n\r\n`)
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      onAnswered(status, this.#msSince(endedAt))
    }
    if (socketState.inProgress === 0) respondNow()
    else socketState.whenIdle = respondNow
  }

  #msSince(endedAt: number): number {
    return Math.round((this.#deps.clock.monotonic() - endedAt) * 1_000) / 1_000
  }

  readonly #reportBug = (error: unknown): void => {
    this.#deps.log.bug(error, 'receiver')
  }
}

function writeAnswer(response: ServerResponse, decision: ReportedDecision): void {
  if (response.destroyed) return
  if (decision.drop) {
    response.destroy()
    return
  }
  response.writeHead(decision.status, sentHeaders(decision).flat())
  response.end(decision.body)
}
