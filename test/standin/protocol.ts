/** `protocol`: the app's own schemes, served through Chromium's Fetch domain. */
import type { Protocol } from 'electron'
import type { CdpSession } from './cdp.ts'
import { fromChromium } from './addresses.ts'
import { requireNotReady, requireReady } from './lifecycle.ts'
import { strict } from './strict.ts'

type Handler = (request: Request) => Response | Promise<Response>

const privileged = new Set<string>()
const handlers = new Map<string, Handler>()
let registered = false
const notReady = 'Session can only be received when app is ready'

export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(schemes) {
    requireNotReady('protocol.registerSchemesAsPrivileged should be called before app is ready')
    if (registered)
      throw new Error(
        'The stand-in for electron takes privileged schemes once: a second call replaces the first.',
      )
    registered = true
    for (const { scheme, privileges } of schemes) {
      // The replacing URL always has all of these privileges.
      if (
        privileges?.standard !== true ||
        privileges.secure !== true ||
        privileges.supportFetchAPI !== true
      )
        throw new Error(
          `The stand-in shows ${scheme}: as a standard, secure scheme with fetch, which was not asked for.`,
        )
      privileged.add(scheme)
    }
  },
  handle(scheme, handler) {
    requireReady(notReady)
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    if (!privileged.has(scheme))
      throw new Error(`${scheme}: was not registered before the app was ready.`)
    handlers.set(scheme, handler)
  },
  isProtocolHandled(scheme) {
    requireReady(notReady)
    return handlers.has(scheme)
  },
} satisfies Partial<Protocol>)

export interface PausedRequest {
  readonly requestId: string
  readonly frameId: string
  readonly resourceType: string
  readonly redirectedRequestId?: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Record<string, string>
    readonly postData?: string
  }
}

/** Responds to one request for a custom scheme, whose URL Chromium has normalized. */
export async function answerRequest(session: CdpSession, paused: PausedRequest): Promise<void> {
  const url = fromChromium(paused.request.url)
  const handler = handlers.get(url.slice(0, url.indexOf(':')))
  const { method, headers, postData } = paused.request
  const request = new Request(url, {
    method,
    headers,
    ...(postData === undefined ? {} : { body: postData }),
  })
  // A scheme without a handler, and a handler that throws, fail the request, as in Electron.
  const response =
    handler === undefined ? null : await Promise.try(handler, request).catch(() => null)
  if (response === null) {
    await session.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Failed' })
    return
  }
  await session.send('Fetch.fulfillRequest', {
    requestId: paused.requestId,
    responseCode: response.status,
    responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  })
}
