/** Previews the trigger for the current form, updated after a pause in typing. */
import { useEffect, useRef, useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { TriggerPreview } from '../../../shared/model/sandbox.ts'
import { useRead } from '../../data/use-read.ts'
import { useAppParts } from '../../state/use-app.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import { triggerInput } from './trigger-draft.ts'
import { useObjects } from './use-sandbox.ts'

const TYPING_PAUSE_MS = 150

export interface PreviewState {
  /** With edits. The last preview stays while the next one loads or fails. */
  readonly preview: TriggerPreview | null
  /** Without edits. */
  readonly made: TriggerPreview | null
  readonly problem: CallProblem | null
  /** Whether the preview matches the current form. */
  readonly current: boolean
}

interface Answer {
  readonly about: string
  readonly preview: TriggerPreview | null
  readonly made: TriggerPreview | null
  readonly problem: CallProblem | null
}

export function useTriggerPreview(): PreviewState {
  const objects = useObjects()
  // Changes when the clock is set, not while it runs.
  const clock = useRead('sandbox.clock', {}).readAt
  const { draft, environment, hooks, previewTrigger, changeTrigger, known } = useAppParts(
    (state) => ({
      draft: state.sandbox.triggerDraft,
      environment: state.sandbox.environment,
      hooks: state.core.hooks,
      previewTrigger: state.sandbox.previewTrigger,
      changeTrigger: state.sandbox.changeTrigger,
      known: state.core.connection.phase === 'open' && state.core.status?.sandbox !== null,
    }),
  )
  const [answer, setAnswer] = useState<Answer>({
    about: '',
    preview: null,
    made: null,
    problem: null,
  })
  const own = (objects ?? []).filter((object) => object.environment === environment)
  const input = known && objects !== null ? triggerInput(draft, environment, own) : null
  const about = input === null ? '' : JSON.stringify(input)
  const asked = useRef(false)

  useEffect(() => {
    if (about === '') return
    let wanted = true
    const timer = setTimeout(
      () => {
        const { set, literals, unset, ...plain } = JSON.parse(about) as InputOf<'sandbox.preview'>
        const ask = async () => {
          const made = await previewTrigger(plain)
          if (!wanted) return
          if (!made.ok) {
            setAnswer({ about, preview: null, made: null, problem: made.problem })
            return
          }
          if (plain.seed === undefined) {
            // Keep the random seed in the form: previewing it again gives the same result.
            changeTrigger({ drawn: made.value.seed })
            return
          }
          const isEdited = (set ?? literals ?? unset) !== undefined
          const edited = isEdited ? await previewTrigger({ ...plain, set, literals, unset }) : made
          if (!wanted) return
          setAnswer((before) => ({
            about,
            made: made.value,
            preview: edited.ok ? edited.value : (before.preview ?? made.value),
            problem: edited.ok ? null : edited.problem,
          }))
        }
        void ask()
      },
      asked.current ? TYPING_PAUSE_MS : 0,
    )
    asked.current = true
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [about, hooks, objects, clock, previewTrigger, changeTrigger])

  return {
    preview: answer.preview,
    made: answer.made,
    problem: answer.problem,
    current: answer.about === about && about !== '',
  }
}
