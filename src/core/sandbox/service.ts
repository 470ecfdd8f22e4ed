/** Types that the parts of a sandbox share. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { listed } from '../../shared/text/english.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import type { SandboxClock } from './clock.ts'
import type { SandboxStorage, RecordKind, SandboxRecords } from './records.ts'

/** Account in one mode, with that mode's keys (section 5.1) and environment. */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}

export function sandboxAccount(
  accounts: readonly SandboxAccount[],
  environment: string | undefined,
): SandboxAccount {
  const account =
    environment === undefined
      ? accounts[0]
      : accounts.find((each) => each.environment === environment)
  if (account !== undefined) return account
  const names = listed(
    accounts.map((each) => each.environment),
    'and',
  )
  throw new AppError(
    'NOT_FOUND',
    `Environment ${environment ?? ''} not found in the sandbox. It has ${names}.`,
  )
}

export interface SandboxDeps {
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  readonly log: Log
  readonly tls: {
    /** Returns the current certificate and key as PEM. */
    certificate(): { key: string; cert: string }
    /** CA certificate that signed it, trusted for hook URLs. */
    readonly caPem: string
  }
  /** Returns another CA certificate (PEM) that a mode trusts for hook URLs. */
  readonly extraCaOf?: (mode: Mode) => string | null
  readonly host: string
  readonly port: number
  prefixOf(mode: Mode): string
  readonly accounts: readonly SandboxAccount[]
  readonly storage: SandboxStorage
  readonly admission: Pick<Admission, 'check' | 'senderForSaved'>
  /** Returns the receiver's own URL for a tunnel's URL. */
  readonly directUrl?: (url: string) => string
  readonly onChanged?: (kind: RecordKind) => void
  /** Finds out which delivery an attempt became. */
  readonly arrivals?: Pick<Arrivals, 'expectDelivery'>
  /** Returns the signal that ends the next attempt's wait early (section 6.4). */
  readonly timeOutOf?: (url: string) => AbortSignal
}

export interface SandboxService extends Omit<SandboxDeps, 'clock'> {
  /** Real clock, for signatures and timeouts. */
  readonly wall: Clock
  readonly clock: SandboxClock
  readonly records: SandboxRecords
}

export function trustCommand(mode: Mode): string {
  return `countersign environments update sandbox-${mode} --ca FILE${mode === 'live' ? ' --live' : ''}`
}
