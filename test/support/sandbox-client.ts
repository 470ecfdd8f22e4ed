/** Calls the sandbox's API over HTTPS as any client would, and parses its JSON. */
import { createSender, type Sender } from '../../src/core/outgoing/wire/sender.ts'
import type { TestTls } from './tls.ts'

export interface ApiAnswer {
  readonly status: number | null
  // Tests check the response themselves.
  readonly body: Record<string, unknown> & {
    error?: { code: string; message: string; findings: { rule: string; section: string }[] }
  }
}

export interface ApiClient {
  call(
    method: string,
    path: string,
    options?: {
      key?: string | null
      body?: unknown
      raw?: string
      type?: string
      headers?: [string, string][]
    },
  ): Promise<ApiAnswer>
  close(): Promise<void>
}

export function createApiClient(url: string, tls: TestTls, defaultKey: string): ApiClient {
  const sender: Sender = createSender({
    authorities: [tls.caPem],
    monotonic: () => performance.now(),
  })
  return {
    async call(
      method,
      path,
      { key = defaultKey, body, raw, type = 'application/json', headers = [] } = {},
    ) {
      const text = raw ?? (body === undefined ? '' : JSON.stringify(body))
      const result = await sender.send({
        url: `${url}${path}`,
        method,
        headers: [
          ['content-type', type],
          ...headers,
          ...(key === null ? [] : [['service-key', key] as [string, string]]),
        ],
        body: Buffer.from(text),
      })
      if (result.failure !== null) throw new Error(result.failure.message)
      return {
        status: result.status,
        body: JSON.parse(Buffer.from(result.body).toString()) as ApiAnswer['body'],
      }
    },
    close: () => sender.close(),
  }
}
