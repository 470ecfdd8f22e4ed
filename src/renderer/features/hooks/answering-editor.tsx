/** Edits a hook's response rule: presets, each field, and a summary in words. */
import type { Hook } from '../../../shared/model/hook.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import {
  answeringDraft,
  answeringPresets,
  answeringSentence,
  ruleOfDraft,
  sameAnswer,
  type AnsweringDraft,
} from './answering.ts'
import { HeaderEditor } from './header-editor.tsx'

export function AnsweringEditor({ hook }: { readonly hook: Hook }) {
  const call = useCall()
  const live = hook.mode === 'live'
  const form = useForm<AnsweringDraft>({
    begin: () => answeringDraft(hook.answering),
    confirms: () => live,
    submit: () => (rule === null ? null : call('hooks.answer', { id: hook.id, rule, live })),
  })
  const { draft, change, busy, problem } = form
  const { rule, problems } = ruleOfDraft(draft)
  const changed = rule === null || !sameAnswer(rule, hook.answering)

  return (
    <form aria-label="Response rule" className="flex flex-col gap-3" {...form.element}>
      <div className="flex flex-wrap gap-1.5" role="group" aria-label="Presets">
        {answeringPresets.map((preset) => (
          <Button
            key={preset.name}
            className="h-6 px-2 text-small aria-pressed:border-accent aria-pressed:text-accent"
            aria-pressed={rule !== null && sameAnswer(rule, preset.rule)}
            onClick={() => change(answeringDraft(preset.rule))}
          >
            {preset.name}
          </Button>
        ))}
      </div>
      <div className="grid grid-cols-4 gap-3 @max-[560px]:grid-cols-2">
        <TextField
          label="Status"
          inputMode="numeric"
          value={draft.status}
          problem={problems.status}
          disabled={draft.drop}
          onChange={(status) => change({ status })}
        />
        <TextField
          label="Delay in seconds"
          inputMode="decimal"
          value={draft.delay}
          problem={problems.delay}
          onChange={(delay) => change({ delay })}
        />
        <TextField
          label="First failures"
          inputMode="numeric"
          value={draft.failFirst}
          problem={problems.failFirst}
          onChange={(failFirst) => change({ failFirst })}
        />
        <TextField
          label="Failure status"
          inputMode="numeric"
          value={draft.failStatus}
          problem={problems.failStatus}
          disabled={draft.failFirst.trim() === '0'}
          onChange={(failStatus) => change({ failStatus })}
        />
      </div>
      <CheckField checked={draft.drop} onChange={(drop) => change({ drop })}>
        Close the connection without a response
      </CheckField>
      <TextAreaField
        label="Body"
        optional
        rows={2}
        disabled={draft.drop}
        value={draft.body}
        onChange={(body) => change({ body })}
      />
      <HeaderEditor
        label="Response headers"
        hint="Sent with the response"
        rows={draft.headers}
        onChange={(headers) => change({ headers })}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={hook.environment}
          action={busy ? 'Saving…' : `Save rule in ${hook.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          The live service gets this response to every delivery of {hook.event}. It retries what
          isn't acknowledged, at most twice.
        </LiveConfirmation>
      ) : (
        <div className="flex items-center gap-3">
          <p className="min-w-0 flex-1 text-muted" role="status">
            {rule === null ? 'Correct the fields above first.' : answeringSentence(rule)}
          </p>
          {changed && (
            <Button kind="quiet" onClick={() => form.reset(answeringDraft(hook.answering))}>
              Undo
            </Button>
          )}
          <Button
            kind={changed ? 'primary' : 'plain'}
            type="submit"
            disabled={busy || !changed || rule === null}
          >
            {busy ? 'Saving…' : changed ? 'Save rule' : 'Saved'}
          </Button>
        </div>
      )}
    </form>
  )
}
