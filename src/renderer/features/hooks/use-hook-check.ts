import type { InputOf } from '../../../shared/contract/contract.ts'
import { knownPrograms } from '../../../shared/model/hook.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { useSettled } from '../../ui/use-form.ts'
import { useProgramsOf } from './use-environments.ts'

/** Values to propose: the environment's only program, and a URL for `event`. */
export interface ProposedValues {
  readonly programId: string
  readonly event: string
  readonly url: string
}

const TYPING_PAUSE_MS = 300

/**
 * Checks what the form would send, and finds what to propose. The check only advises: a submit
 * reports all problems again.
 */
export function useHookCheck(
  input: InputOf<'hooks.check'>,
  proposed: ProposedValues,
  onProposed: (proposed: ProposedValues) => void,
) {
  const hooks = useApp((state) => state.core.hooks)
  const { environment = '' } = input
  // Without a sandbox, a program ID can still be typed.
  const { ids, isRead, nameOf } = useProgramsOf(environment)
  const programs = knownPrograms(environment, hooks, ids)
  const about = JSON.stringify(input)
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const asked = JSON.parse(settled) as InputOf<'hooks.check'>
  const check = useRead('hooks.check', isRead ? asked : null, { keep: true })
  const { findings = [], warnings = [], url = '' } = check.output ?? {}
  const isNow = check.output !== undefined && !check.isEarlier
  const [first = '', second] = programs
  const programId = second === undefined ? first : ''
  // A proposed URL has a random part: it stays while the event does.
  if (isNow && asked.url === undefined && proposed.event !== asked.event)
    onProposed({ programId, event: asked.event, url })
  else if (programId !== proposed.programId) onProposed({ ...proposed, programId })
  return { findings, warnings, programs, nameOf, isCurrent: isNow && settled === about }
}
