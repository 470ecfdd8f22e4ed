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

/** What proves a request: two with the same are alike but for their bodies, at most. */
export function proofOf({ signature, timestamp }: Pick<Seen, 'signature' | 'timestamp'>): string {
  return `${signature ?? ''}\n${timestamp ?? ''}`
}

export function bodySha256Of(body: Uint8Array): string {
  return hash('sha256', body, 'hex')
}

/** What names a request, the same before it goes and once it has come. */
export function keyOfSeen(seen: Seen): string {
  return `${proofOf(seen)}\n${seen.bodySha256}`
}

export function keyOfOwn(request: OwnRequest): string {
  return `${proofOf(request)}\n${bodySha256Of(request.body)}`
}
