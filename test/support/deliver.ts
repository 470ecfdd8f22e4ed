/**
 * Sends deliveries as the service does: signed by Node's own HMAC instead of the product's signer.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

export interface Delivery {
  readonly body: string | Uint8Array
  readonly headers: readonly (readonly [string, string])[]
}

export function signatureOf(
  secret: string,
  body: string | Uint8Array,
  url: string,
  timestamp: string,
): string {
  const once = createHmac('sha256', secret)
    .update(body)
    .update(url)
    .update(timestamp)
    .digest('base64')
  return createHmac('sha256', secret).update(once).digest('base64')
}

export function signedHeaders(
  secret: string,
  body: string | Uint8Array,
  url: string,
  timestamp: string = String(Date.now()),
): [string, string][] {
  return [
    ['content-type', 'application/json'],
    ['x-service-signature', signatureOf(secret, body, url, timestamp)],
    ['x-service-timestamp', timestamp],
  ]
}

/** Creates a sender that trusts the core's CA certificate, with some keep-alive connections. */
export function createDeliverer(caFile: string, connections = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca: readFileSync(caFile) })
  return {
    send(
      url: string,
      delivery: Delivery,
      method = 'POST',
    ): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
      return new Promise((resolve, reject) => {
        const body = Buffer.from(delivery.body)
        const outgoing = request(
          url,
          {
            agent,
            method,
            headers: [
              ...delivery.headers,
              ['content-length', String(body.length)],
              ['host', new URL(url).host],
            ].flat(),
          },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () => {
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: Buffer.concat(chunks).toString(),
              })
            })
          },
        )
        outgoing.on('error', reject)
        outgoing.end(body)
      })
    },
    close() {
      agent.destroy()
    },
  }
}

export async function deliverOnce(
  caFile: string,
  url: string,
  body: Delivery['body'],
  headers: Delivery['headers'] = [],
) {
  const deliverer = createDeliverer(caFile)
  try {
    return await deliverer.send(url, { body, headers })
  } finally {
    deliverer.close()
  }
}

export async function sendDelivery(
  caFile: string,
  delivery: {
    readonly url: string
    readonly body?: Delivery['body']
    readonly secret?: string
    readonly headers?: Readonly<Record<string, string>>
  },
): Promise<number> {
  const { url, body = '{}', secret, headers = {} } = delivery
  const signed = secret === undefined ? [] : signedHeaders(secret, body, url)
  return (await deliverOnce(caFile, url, body, [...signed, ...Object.entries(headers)])).status
}
