/** The input of a run: flow, form values and consent. */
import { typedLiteral } from '../../../shared/body/json-literals.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { handlerNameIn } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { FlowPlan, FlowSpeed, FlowSummary } from '../../../shared/model/flow.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import type { Consented } from '../../ui/use-consents.ts'

/** The name of a built-in flow, or the text of a file. */
export type WhichFlow =
  { readonly name: string } | { readonly source: { readonly text: string; readonly file: string } }

export interface OpenedFlow {
  readonly which: WhichFlow
  readonly plan: FlowPlan
  /** Distinguishes openings of a flow. A reloaded file keeps its opening. */
  readonly opening: number
}

/** The form of a run, shared by all flows. Not stored. */
export interface FlowDraft {
  /** Empty for the sandbox. */
  readonly environment: string
  /** A URL, or `@NAME`; empty for none. Null until it is changed: the current handler, if there is one. */
  readonly url: string | null
  readonly secret: string
  readonly registeredUrl: string
  readonly speed: FlowSpeed
  /** Inputs as typed, by name; empty ones are chosen by the sandbox. Each flow uses those it has. */
  readonly inputs: Readonly<Record<string, string>>
  /** Whether a run of all flows includes those in live mode. */
  readonly includesLive: boolean
}

export const NO_DRAFT: FlowDraft = {
  environment: '',
  url: null,
  secret: '',
  registeredUrl: '',
  speed: 'max',
  inputs: {},
  includesLive: false,
}

export interface FlowAsked extends Consented {
  readonly paused: boolean
  readonly from: number
}

/** The endpoint of a run as its form shows it: `@NAME`, a URL, or empty. */
export function flowEndpoint(
  { url }: Pick<FlowDraft, 'url'>,
  handlers: readonly SavedHandler[],
): string {
  const current = handlers.find((one) => one.current)
  return (url ?? (current === undefined ? '' : handlerRef(current))).trim()
}

/** Accounts that a flow can run in. */
export function accountsOf(
  { sandboxOnly, mode }: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): readonly Environment[] {
  return sandboxOnly === null
    ? environments.filter((one) => !isOfSandbox(one.name) && one.mode === mode)
    : []
}

/** The selected account if this flow can run in it: it may have been selected for another flow. Empty for the sandbox. */
export function flowAccount(
  { environment }: Pick<FlowDraft, 'environment'>,
  plan: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): string {
  return accountsOf(plan, environments).some(({ name }) => name === environment) ? environment : ''
}

/** The handler of a run; null without one. */
export function handlerInput(
  draft: FlowDraft,
  handlers: readonly SavedHandler[],
): NonNullable<InputOf<'flows.start'>['handler']> | null {
  const url = flowEndpoint(draft, handlers)
  const registeredUrl = draft.registeredUrl.trim()
  if (url === '') return null
  // A saved handler brings its own secret.
  const secret = handlerNameIn(url) !== null && draft.secret === '' ? {} : { secret: draft.secret }
  return { url, ...secret, registeredUrl: registeredUrl === '' ? null : registeredUrl }
}

/** The flow's inputs as JSON texts. Numbers stay as typed. */
export function inputLiterals(
  { inputs }: Pick<FlowSummary, 'inputs'>,
  draft: Pick<FlowDraft, 'inputs'>,
): Record<string, string> {
  const typed = inputs.map(({ name }) => [name, (draft.inputs[name] ?? '').trim()] as const)
  return Object.fromEntries(
    typed.filter(([, text]) => text !== '').map(([name, text]) => [name, typedLiteral(text)]),
  )
}

export function flowInput(
  { which, plan }: OpenedFlow,
  draft: FlowDraft,
  {
    environments,
    handlers,
  }: { readonly environments: readonly Environment[]; readonly handlers: readonly SavedHandler[] },
  asked: FlowAsked,
): InputOf<'flows.start'> {
  const environment = flowAccount(draft, plan, environments)
  return {
    ...which,
    ...(environment === '' ? {} : { environment }),
    speed: draft.speed,
    handler: handlerInput(draft, handlers),
    ...(environment === '' ? { literals: inputLiterals(plan, draft) } : {}),
    paused: asked.paused,
    from: asked.from,
    allowHosts: [...asked.allowHosts],
    live: asked.live,
  }
}
