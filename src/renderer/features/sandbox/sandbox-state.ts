/** The state of the Sandbox screen, and what its actions share. */
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { Params } from '../../ui-state/routes.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import { newTrigger, type TriggerDraft } from './trigger-draft.ts'

export interface Trigger {
  readonly draft: TriggerDraft
  readonly sending: boolean
  /** Why the last one failed. Cleared by the next one and by a change of the draft. */
  readonly problem: CallProblem | null
}

export interface SandboxState {
  readonly trigger: Trigger
}

export type SandboxTools = FeatureTools<SandboxState, { readonly navigation: NavigationSlice }>

/** Returns the form of a trigger with these values and defaults for the rest. */
export function newTriggerState(part: Partial<TriggerDraft> = {}): Trigger {
  return {
    draft: { ...newTrigger(), ...part },
    sending: false,
    problem: null,
  }
}

/** Shows something else on the screen: the mode and view stay if they are left out. */
export function showInSandbox({ app }: SandboxTools, part: Params<'sandbox'>): void {
  const { at, select } = app().navigation
  const { mode, view } = at.sandbox
  select('sandbox', { mode, view, ...part })
}
