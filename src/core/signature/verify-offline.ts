/** Verifies one request from its parts alone: what `countersign verify` does, without a store. */
import type { SignatureReport } from '../../shared/model/signature.ts'
import { diagnose, type KnownSecret } from './diagnose.ts'
import { judgeFreshness } from './freshness.ts'
import { createReport } from './report.ts'
import { secretKey } from './sign.ts'
import { matches } from './verify.ts'

export interface OfflineInput {
  readonly body: Uint8Array
  readonly url: string
  readonly secret: string
  /** Null: the header was missing. */
  readonly timestamp: string | null
  readonly signature: string | null
  /** When it is taken to have been received, in milliseconds since the epoch. */
  readonly at: number
  /** Age up to which it is fresh, in milliseconds; the interface's five minutes where absent. */
  readonly maxAgeMs?: number
  /** Secrets that the signer may have used by mistake. */
  readonly otherSecrets?: readonly KnownSecret[]
}

export function verifyOffline(input: OfflineInput): SignatureReport {
  const { body, url, timestamp, signature } = input
  const key = secretKey(input.secret)
  const freshness = judgeFreshness(timestamp, input.at, input.maxAgeMs)
  const isSigned = timestamp !== null && signature !== null
  const isValid = isSigned && matches({ hookId: '', url, key }, body, timestamp, signature)
  const diagnosis =
    isSigned && !isValid
      ? diagnose({ body, url, timestamp, received: signature, key, otherSecrets: input.otherSecrets ?? [], otherUrls: [] })
      : null
  return createReport({
    verdict: isValid ? 'valid' : isSigned ? 'invalid' : 'unsigned',
    freshness,
    body,
    isWhole: true,
    timestamp,
    received: signature,
    receivedAt: input.at,
    hook: { id: null, url, key, secretHint: '…' },
    diagnosis,
  })
}
