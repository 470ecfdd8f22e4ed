/** Services that command handlers call. */
import { readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import { listQuery } from '../../shared/query/selected-values.ts'
import type { Query } from '../../shared/query/query.ts'
import type { HandlerChecks } from '../check/checks.ts'
import type { Forwards } from '../forwarding/forwards.ts'
import type { ComposedRequests } from '../replaying/composed-requests.ts'
import type { Replays } from '../replaying/replays.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Shrinker } from '../shrinking/shrink.ts'
import type { AppStatus, DoctorCheck, ReceiverStatus } from '../../shared/model/status.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import type { CurlTrust } from '../../shared/snippets/curl-trust.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Ids } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { LateVerdicts } from '../import-export/late-verdicts.ts'
import type { Importer } from '../import-export/importer.ts'
import type { CaptureEncryption } from '../sharing/capture-encryption.ts'
import type { CaptureSharing } from '../sharing/sharing.ts'
import type { Flows } from '../flows/flows.ts'
import type { SavedHandlers } from '../handlers/handlers.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { RetentionService } from '../retention/retention.ts'
import type { Registration } from '../hooks/registration.ts'
import type { createHookSync } from '../hooks/sync-hooks.ts'
import type { Registry } from '../hooks/registry.ts'
import type { Consents } from '../settings/consents.ts'
import type { Setups } from '../setup/setups.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import type { DiagnosisService } from '../signature/diagnosis-service.ts'
import type { Views } from '../settings/views.ts'

export interface Services {
  readonly replays: Replays
  readonly composed: ComposedRequests
  readonly shrinks: Shrinker
  readonly checks: HandlerChecks
  readonly forwards: Forwards
  readonly store: Store
  readonly hooks: Hooks
  readonly savedHandlers: SavedHandlers
  readonly environments: Environments
  readonly registry: Registry
  readonly registration: Registration
  readonly syncHooks: ReturnType<typeof createHookSync>
  readonly diagnosis: DiagnosisService
  readonly views: Views
  readonly settings: SettingsService
  readonly setups: Setups
  readonly consents: Consents
  readonly retention: RetentionService
  readonly flows: Flows
  readonly importer: Importer
  readonly sharing: CaptureSharing
  readonly encryption: Pick<CaptureEncryption, 'decrypt'>
  readonly lateVerdicts: LateVerdicts
  /** Stores the cause of a kept delivery, or looks for missing causes. */
  readonly causes: {
    found(seq: number, report: SignatureReport): Promise<void>
    wake(): void
    isUnexplained(delivery: Delivery): Promise<boolean>
  }
  readonly ids: Ids
  /** Tells clients about a stored delivery that wasn't received. */
  announce(seq: number): void
  /** Returns the wall clock, in milliseconds since the epoch. */
  now(): number
  /**
   * Returns the sandbox clock for the sandbox's environments, else the wall clock, in milliseconds.
   */
  businessNow(environment: string | null): number
  status(): Promise<AppStatus>
  curlTrust(): CurlTrust
  doctor(): Promise<DoctorCheck[]>
  diagnostics(): Promise<OutputOf<'app.diagnostics'>>
  /** Creates a one-time URL for a browser, or ends all sessions but the one with the ID `kept`. */
  browsers(): { openUrl(): string; signOut(kept: string | null): void }
  checkEnvironment(name: string | undefined): Promise<OutputOf<'environments.check'>>
  setPublicUrl(url: string | null): Promise<ReceiverStatus>
  pauseReceiver(): Promise<ReceiverStatus>
  resumeReceiver(): Promise<ReceiverStatus>
  /** Throws `NOT_RUNNING`, naming what needs it, if Countersign isn't running. */
  tunnels(what: string): Tunnels
  /** Throws `NOT_RUNNING`, naming what needs it, if Countersign isn't running. */
  sandbox(what: string): Omit<Sandbox, 'registerHook' | 'removeHook'>
  sample(signal: AbortSignal): Promise<OutputOf<'sandbox.sample'>>
}

export type SignatureServices = Pick<
  Services,
  'store' | 'registry' | 'hooks' | 'environments' | 'status' | 'diagnosis'
>

type QueryServices = Pick<Services, 'hooks' | 'now'>

const queryContextOf = ({ hooks, now }: QueryServices) => ({ now: now(), hooks: hooks.list() })

/** Parses a list's query: `event:` also matches possible events. Throws `INVALID_QUERY`. */
export function readListQuery(services: QueryServices, text = ''): Query {
  return listQuery(text, readQuery(text, queryContextOf(services)))
}

/** Parses a query to act on: `event:` matches identified events only. Throws `INVALID_QUERY`. */
export function readActionQuery(services: QueryServices, text = ''): Query {
  return listQuery(text, readIdentifiedQuery(text, queryContextOf(services)))
}
