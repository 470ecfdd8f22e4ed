/** The services that command handlers call. Handlers don't know how they are built. */
import type { AppStatus, DoctorCheck, ReceiverStatus } from '../../shared/model/status.ts'
import type { CurlTrust } from '../../shared/snippets/curl.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { CoreOptions } from '../app/core.ts'
import type { Environments } from '../hooks/environments.ts'
import type { ImportClaims } from '../transfer/claims.ts'
import type { Importer } from '../transfer/importer.ts'
import type { LongLines } from '../transfer/line-reader.ts'
import type { Flows } from '../flows/flows.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Keeping } from '../keeping/keeping.ts'
import type { Registration } from '../hooks/registration.ts'
import type { Registry } from '../hooks/registry.ts'
import type { RunningSandbox } from '../app/run-sandbox.ts'
import type { SendingServices } from '../app/sending.ts'
import type { SettingsService, Views } from '../app/settings.ts'
import type { Store } from '../store/store.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import type { DiagnosisService } from '../signature/diagnosis-service.ts'

export interface Services extends SendingServices {
  readonly store: Store
  readonly hooks: Hooks
  readonly environments: Environments
  readonly registry: Registry
  readonly registration: Registration
  readonly diagnosis: DiagnosisService
  readonly views: Views
  readonly settings: SettingsService
  readonly keeping: Keeping
  readonly flows: Flows
  readonly importer: Importer
  readonly claims: ImportClaims
  readonly longLines: LongLines
  /** The wall clock, in milliseconds since the epoch. */
  now(): number
  /** The sandbox clock for the sandbox's environments while it runs, else the wall clock. In milliseconds. */
  businessNow(environment: string | null): number
  status(): Promise<AppStatus>
  /** How a cURL command trusts this computer's certificates. */
  curlTrust(): CurlTrust
  doctor(): Promise<DoctorCheck[]>
  /** Repairs a damaged database; null if this core can't. */
  readonly repair: NonNullable<CoreOptions['repair']> | null
  openUrl(): Promise<string>
  checkEnvironment(name: string | undefined): Promise<OutputOf<'environments.check'>>
  setPublicUrl(url: string | null): Promise<ReceiverStatus>
  pauseReceiver(): Promise<ReceiverStatus>
  resumeReceiver(): Promise<ReceiverStatus>
  /** The tunnels of this core; throws `NOT_RUNNING` if Countersign isn't running. `what` names what needs them. */
  tunnels(what: string): Tunnels
  /** The sandbox of this core; throws `NOT_RUNNING` if Countersign isn't running. `what` names what needs it. */
  sandbox(what: string): RunningSandbox
  sample(signal: AbortSignal): Promise<OutputOf<'sandbox.sample'>>
}
