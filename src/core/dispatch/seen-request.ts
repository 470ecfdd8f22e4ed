/** A request by what its receiver can see of it: enough to know one that this program has sent itself. */
import { hash } from 'node:crypto'

export interface Seen {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly bodySha256: string
}

/** A request before it goes. */
export interface OwnRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array
}

/** What names a request, the same before it goes and once it has come. */
export function keyOfSeen({ signature, timestamp, bodySha256 }: Seen): string {
  return `${signature ?? ''}\n${timestamp ?? ''}\n${bodySha256}`
}

export function keyOfOwn({ signature, timestamp, body }: OwnRequest): string {
  return keyOfSeen({ signature, timestamp, bodySha256: hash('sha256', body, 'hex') })
}
