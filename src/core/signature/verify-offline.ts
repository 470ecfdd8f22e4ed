/** Verifies one request without a store, for `countersign verify`. */
import type { Diagnosis, SignatureTrial } from '../../shared/model/signature.ts'
import { judgeComputed, createReport } from './signature-report.ts'
import { diagnose } from './diagnose.ts'
import type { KnownBody } from './diagnosis/diagnosis-input.ts'
import { judgeFreshness, isSignedBy } from './verify.ts'
import { secretKey, signDelivery } from './sign.ts'

export interface OfflineInput {
  readonly body: Uint8Array
  readonly url: string
  readonly secret: string
  /** Value of the header; null if it was missing. */
  readonly timestamp: string | null
  readonly signature: string | null
  readonly otherBodies?: readonly KnownBody[]
  /** Digest that the user's code computed; needs a timestamp. */
  readonly computed?: string
  /** Time of receipt in milliseconds since the epoch. */
  readonly at: number
  /** Age in milliseconds up to which it is fresh; default 5 minutes. */
  readonly maxAgeMs?: number
}

export function verifyOffline(input: OfflineInput): SignatureTrial {
  const { body, url, timestamp, signature, computed } = input
  const key = secretKey(input.secret)
  const freshness = judgeFreshness(timestamp, input.at, input.maxAgeMs)
  const isSigned = timestamp !== null && signature !== null
  const isValid = isSigned && isSignedBy({ url, key }, body, timestamp, signature)
  const explain = (digest: string, signedTimestamp: string): Diagnosis | null =>
    diagnose({
      body,
      url,
      timestamp: signedTimestamp,
      received: digest,
      key,
      isSecretGiven: true,
      signer: 'user',
      otherSecrets: [],
      otherUrls: [],
      otherTimestamps: [
        { kind: 'receipt', text: new Date(input.at).toISOString(), where: 'the time of receipt' },
      ],
      otherBodies: input.otherBodies ?? [],
    })
  const report = createReport({
    verifiedHere: true,
    verdict: isValid ? 'valid' : isSigned ? 'invalid' : 'unsigned',
    freshness,
    body,
    isWhole: true,
    timestamp,
    received: signature,
    receivedAt: input.at,
    hook: { id: null, event: null, isDeleted: false, url, key, secretHint: '…' },
    diagnosis: isSigned && !isValid ? explain(signature, timestamp) : null,
  })
  if (computed === undefined || timestamp === null) return { report, computed: null }
  const { signature: expected } = signDelivery({ body, url, timestamp, key })
  const diagnosis = computed === expected ? null : explain(computed, timestamp)
  return { report, computed: judgeComputed({ computed, expected, received: signature, diagnosis }) }
}
