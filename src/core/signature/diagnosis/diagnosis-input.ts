/** Input of a diagnosis: the delivery to explain, and values that its signer may have confused. */
import type { KeyObject } from 'node:crypto'

export interface DiagnosisInput {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  /** Digest to explain, received or computed by the user's code. */
  readonly received: string
  readonly key: KeyObject
  /** Whether the secret comes with the request and may be named. */
  readonly isSecretGiven?: boolean
  /** Signer, who can act on a mistake. */
  readonly signer: 'service' | 'user'
  readonly otherSecrets: readonly KnownSecret[]
  readonly otherUrls: readonly KnownUrl[]
  readonly otherTimestamps: readonly KnownTimestamp[]
  readonly otherBodies: readonly KnownBody[]
}

/** Known secret with its owner: `the hook for card.linked`. */
export interface KnownSecret {
  readonly kind:
    | 'stored'
    | 'previous'
    | 'other-hook'
    | 'other-environment'
    | 'deleted-hook'
    | 'api-key'
  readonly owner: string
  readonly key: KeyObject
}

/** Known URL; `stored` is the registered one, if another is tried. */
export interface KnownUrl {
  readonly kind: 'stored' | 'local' | 'handler' | 'other-hook'
  readonly url: string
}

/** Known time, as a header's text or the time of receipt. */
export interface KnownTimestamp {
  readonly kind: 'date-header' | 'other-header' | 'receipt'
  readonly text: string
  /** Source in words: `the header date`. */
  readonly where: string
}

/** Body before compression, and the encoding in its header. */
export interface KnownBody {
  readonly encoding: string
  readonly body: Uint8Array
}
