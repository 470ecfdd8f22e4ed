/** Form of the next flow run: account, handler, speed and inputs. */
import { z } from 'zod'
import { literalFromText } from '../../../shared/body/json-literals.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { flowSpeedSchema, type FlowPlan, type FlowSummary } from '../../../shared/model/flow-run.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { isOfSandbox } from '../../core-data/environments.ts'
import { readDraft } from '../../ui-state/tab-drafts.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

const draftSchema = z
  .object({
    /** Empty for the sandbox. */
    environment: z.string(),
    /**
     * The name of a saved handler; empty for none. Null until one is chosen: the current handler,
     * if there is one.
     */
    handler: z.string().nullable(),
    speed: flowSpeedSchema,
    /**
     * Inputs as typed, by name; empty ones are chosen by the sandbox. Each flow uses those it has.
     */
    inputs: z.record(z.string(), z.string()).readonly(),
    /** Whether a run of all flows includes those in live mode. */
    includesLive: z.boolean(),
  })
  .readonly()
/** The form of a run, shared by all flows. */
export type FlowDraft = z.infer<typeof draftSchema>

/** Returns the draft that the tab kept, or the default one. */
export function initialDraft(): FlowDraft {
  return {
    ...{ environment: '', handler: null, speed: 'max', inputs: {} },
    ...readDraft('flows', draftSchema),
    // Asked for again after a reload.
    includesLive: false,
  }
}

/** Returns the handler of the next run; null for none. */
export function chosenHandler(
  { handler }: Pick<FlowDraft, 'handler'>,
  handlers: readonly SavedHandler[],
): SavedHandler | null {
  return (
    handlers.find(({ name, current }) => (handler === null ? current : name === handler)) ?? null
  )
}

export function accountsOf(
  { sandboxOnly, mode }: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): readonly Environment[] {
  return sandboxOnly === null
    ? environments.filter((one) => !isOfSandbox(one.name) && one.mode === mode)
    : []
}

/** Returns the selected account if this flow can run in it; empty for the sandbox. */
export function flowAccount(
  { environment }: Pick<FlowDraft, 'environment'>,
  plan: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): string {
  return accountsOf(plan, environments).some(({ name }) => name === environment) ? environment : ''
}

/**
 * Returns the input of a run from the form. A saved handler brings its secret and registered URL.
 */
export function runInput(
  draft: FlowDraft,
  { inputs }: Pick<FlowSummary, 'inputs'>,
  handlers: readonly SavedHandler[],
): Pick<InputOf<'flows.start'>, 'speed' | 'handler' | 'literals'> {
  const handler = chosenHandler(draft, handlers)
  // Numbers stay as typed.
  const literals = inputs.flatMap(({ name }) => {
    const text = (draft.inputs[name] ?? '').trim()
    return text === '' ? [] : [[name, literalFromText(text)] as const]
  })
  return {
    speed: draft.speed,
    handler: handler === null ? null : { url: handlerRef(handler) },
    literals: Object.fromEntries(literals),
  }
}
