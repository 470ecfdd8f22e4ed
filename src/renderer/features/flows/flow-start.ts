/** What a run is begun with: the flow, what the form holds of it, and what was agreed to. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { FlowPlan, FlowSpeed } from '../../../shared/model/flow-run.ts'
import { isOfSandbox } from '../../state/sandbox-environment.ts'
import type { Consented } from '../../ui/use-consents.ts'

/** A built-in flow by its name, or the text of a file. */
export type WhichFlow = { readonly name: string } | { readonly source: { readonly text: string; readonly file: string } }

export interface OpenedFlow {
  readonly which: WhichFlow
  readonly plan: FlowPlan
  /** Tells one opening from the next; a file that is read again stays the same opening. */
  readonly opening: number
}

/** The form of a run, one for all flows; nothing of it is kept once the window is closed. */
export interface FlowDraft {
  /** Empty: the sandbox. */
  readonly environment: string
  readonly url: string
  readonly secret: string
  readonly registeredUrl: string
  readonly speed: FlowSpeed
}

export const NO_DRAFT: FlowDraft = { environment: '', url: '', secret: '', registeredUrl: '', speed: 'max' }

export interface FlowAsked extends Consented {
  readonly paused: boolean
  readonly from: number
}

/** The accounts of the service that a flow can run against. */
export function accountsOf(
  { sandboxOnly, mode }: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): readonly Environment[] {
  return sandboxOnly === null ? environments.filter((one) => !isOfSandbox(one.name) && one.mode === mode) : []
}

/** The account that was chosen, where this flow can run against it: another flow may have had it chosen. Empty: the sandbox. */
export function flowAccount(
  { environment }: Pick<FlowDraft, 'environment'>,
  plan: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): string {
  return accountsOf(plan, environments).some(({ name }) => name === environment) ? environment : ''
}

export function flowInput(
  { which, plan }: OpenedFlow,
  draft: FlowDraft,
  environments: readonly Environment[],
  asked: FlowAsked,
): InputOf<'flows.start'> {
  const url = draft.url.trim()
  const registeredUrl = draft.registeredUrl.trim()
  const environment = flowAccount(draft, plan, environments)
  return {
    ...which,
    ...(environment === '' ? {} : { environment }),
    speed: draft.speed,
    handler: url === '' ? null : { url, secret: draft.secret, registeredUrl: registeredUrl === '' ? null : registeredUrl },
    paused: asked.paused,
    from: asked.from,
    allowHosts: [...asked.allowHosts],
    live: asked.live,
  }
}
