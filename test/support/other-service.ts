/** A service that follows the spec but differs from the sandbox everywhere else. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startEndpoint, type EndpointAnswer, type ReceivedCall } from './https-endpoint.ts'
import type { TestTls } from './test-tls.ts'

export type Interruption =
  | 'hang'
  | 'drop'
  | { readonly status: number; readonly body: string; readonly type?: string }

export interface OtherHook {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly programId: string | null
}

export interface OtherServiceOptions {
  /** Whether a header has the caller's credentials. By default anyone has access. */
  authenticates?(headers: ReceivedCall['headers']): boolean
  /** Returns the response to a creation; by default nested and with unknown fields. */
  record?(hook: OtherHook): unknown
  /** Returns the response to a change; by default that to a creation, without the secret. */
  changed?(hook: OtherHook): unknown
  secret?(count: number): string
  token?(request: Record<string, unknown>): { readonly status: number; readonly body: unknown }
}

export interface OtherService {
  readonly origin: string
  readonly calls: readonly ReceivedCall[]
  called(path: string | RegExp): {
    readonly method: string
    readonly path: string
    readonly headers: ReceivedCall['headers']
    readonly body: unknown
  }[]
  /** Interrupts the next request; several calls add up. */
  interrupt(...interruptions: Interruption[]): void
  readonly hooks: Map<string, OtherHook>
  close(): Promise<void>
}

export function otherHookId(count: number): string {
  return `0f6c1c52-9d1e-4a58-8a55-${String(count).padStart(12, '0')}`
}

export function nestedRecord({ id, event, url, secret }: OtherHook): unknown {
  return {
    meta: { requestId: 'req-1', id: 'not-the-hook' },
    webhook: {
      uuid: id,
      target: url,
      topic: event,
      live: false,
      futureField: { deep: ['kept', 12.5, null] },
    },
    credentials: { secretKey: secret },
  }
}

export async function startOtherService(
  tls: TestTls,
  options: OtherServiceOptions = {},
): Promise<OtherService> {
  const hooks = new Map<string, OtherHook>()
  const interruptions: Interruption[] = []
  const { record = nestedRecord, secret = (count) => `other-secret-${count}-0123456789` } = options
  const changed =
    options.changed ??
    ((hook: OtherHook) => ({
      webhook: { uuid: hook.id, target: hook.url, topic: hook.event, revision: 2 },
    }))

  const endpoint = await startEndpoint(tls.leaf, (count): EndpointAnswer => {
    const interruption = interruptions.shift()
    if (interruption === 'hang' || interruption === 'drop') return interruption
    return (request, response) => {
      if (interruption === undefined) answer(request, response, jsonOf(endpoint.calls[count - 1]))
      else
        response
          .writeHead(interruption.status, {
            'content-type': interruption.type ?? 'application/json',
          })
          .end(interruption.body)
    }
  })

  const fault = (code: string, explanation: string) => ({ fault: { code, explanation } })

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: Record<string, unknown>,
  ): void {
    const reply = (status: number, value?: unknown) => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(value === undefined ? '' : JSON.stringify(value))
    }
    const { method = '', url = '', headers } = request
    if (url === '/oauth/token') {
      const { status, body: payload } = options.token?.(body) ?? {
        status: 404,
        body: fault('NO_TOKENS', 'There are none.'),
      }
      reply(status, payload)
      return
    }
    if (options.authenticates?.(headers as ReceivedCall['headers']) === false) {
      reply(401, fault('WHO', 'Nobody knows you.'))
      return
    }
    const program = /^\/v1\/programs\/([^/]+)\/hooks$/.exec(url)?.[1] ?? null
    if (method === 'POST' && (url === '/v1/hooks' || program !== null)) {
      const made = {
        id: otherHookId(hooks.size + 1),
        event: String(body['event']),
        url: String(body['url']),
        secret: secret(hooks.size + 1),
        programId: program,
      }
      hooks.set(made.id, made)
      reply(201, record(made))
      return
    }
    const hook = hooks.get(/^\/v1\/hooks\/([^/]+)$/.exec(url)?.[1] ?? '')
    if (hook === undefined) {
      reply(404, fault('NOWHERE', 'Nothing of that name.'))
    } else if (method === 'PUT') {
      const next = { ...hook, event: String(body['event']), url: String(body['url']) }
      hooks.set(hook.id, next)
      reply(200, changed(next))
    } else {
      hooks.delete(hook.id)
      reply(204)
    }
  }

  return {
    origin: endpoint.origin,
    calls: endpoint.calls,
    called: (path) =>
      endpoint.calls
        .filter((call) => (typeof path === 'string' ? call.path === path : path.test(call.path)))
        .map((call) => ({
          method: call.method,
          path: call.path,
          headers: call.headers,
          body: call.body.length === 0 ? null : jsonOf(call),
        })),
    interrupt: (...more) => {
      interruptions.push(...more)
    },
    hooks,
    close: () => endpoint.close(),
  }
}

function jsonOf(call: ReceivedCall | undefined): Record<string, unknown> {
  return call === undefined || call.body.length === 0
    ? {}
    : (JSON.parse(call.body.toString()) as Record<string, unknown>)
}
