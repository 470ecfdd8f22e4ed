import type { InputOf } from '../../../shared/contract/contract.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useSettled } from '../../ui/use-form.ts'
import { editsOf, type TriggerDraft } from './trigger-draft.ts'

const TYPING_PAUSE_MS = 150

type Input = InputOf<'sandbox.preview'>

/** Previews the notification once typing pauses: without edits (`made`) and with them. */
export function useTriggerPreview(input: Input | null, draft: TriggerDraft) {
  const edits = editsOf(draft)
  const about = JSON.stringify([
    input,
    input === null || edits === null ? null : { ...input, ...edits },
  ])
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const [plain, edited] = JSON.parse(settled) as [Input | null, Input | null]
  const made = useRead('sandbox.preview', plain, { keep: true })
  const changed = useRead('sandbox.preview', edited, { keep: true })
  const shown = edited === null ? made : changed
  return {
    made: made.output ?? null,
    preview: shown.output ?? made.output ?? null,
    problem: made.failure ?? (edited === null ? null : changed.failure),
    /** Whether it is what the form says now. */
    isCurrent: settled === about && shown.output !== undefined && !shown.isEarlier,
  }
}

export type Preview = ReturnType<typeof useTriggerPreview>
