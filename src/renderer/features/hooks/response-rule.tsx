/** A hook's response rule: presets, and behind "Custom" each field. */
import { useState } from 'react'
import {
  answeringInputSchema,
  DEFAULT_ANSWERING,
  type AnsweringRule,
  type Hook,
} from '../../../shared/model/hook.ts'
import { Button } from '../../ui/button.tsx'
import { InputFields, useInputForm } from '../../connected/input-form.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useCall } from '../../ui/use-call.ts'

export const rulePresets = [
  { value: 'accept', label: 'Accept', rule: DEFAULT_ANSWERING },
  { value: 'fail', label: 'Fail once', rule: { ...DEFAULT_ANSWERING, failFirst: 1 } },
  { value: 'wait', label: 'Time out', rule: { ...DEFAULT_ANSWERING, delayMs: 25_000 } },
  { value: 'drop', label: 'Drop', rule: { ...DEFAULT_ANSWERING, drop: true } },
] as const
type Preset = (typeof rulePresets)[number]['value'] | 'custom'
const choices: readonly { readonly value: Preset; readonly label: string }[] = [
  ...rulePresets,
  { value: 'custom', label: 'Custom' },
]

/** Rules have their fields in one order, so that they are equal as text. */
const isSameRule = (one: AnsweringRule, other: AnsweringRule) =>
  JSON.stringify(one) === JSON.stringify(other)

function presetOf(rule: AnsweringRule): Preset {
  return rulePresets.find((preset) => isSameRule(preset.rule, rule))?.value ?? 'custom'
}

/** Time in milliseconds after which the service stops waiting for a response (spec 6.4). */
const LONGEST_WAIT_MS = 20_000

/** Describes what a rule does and how the service reacts, in one or two sentences. */
export function ruleSentence({
  status,
  delayMs,
  drop,
  failFirst,
  failStatus,
}: AnsweringRule): string {
  const after = delayMs === 0 ? '' : ` after ${delayMs / 1_000} s`
  const then = drop
    ? `closes the connection${after} without a response`
    : `returns ${status}${after || ' immediately'}`
  const attempts = failFirst === 1 ? 'attempt' : `${failFirst} attempts`
  const sentence =
    failFirst === 0
      ? `${then.charAt(0).toUpperCase()}${then.slice(1)}.`
      : `Fails the first ${attempts} of each notification with ${failStatus}, then ${then}.`
  return delayMs > LONGEST_WAIT_MS
    ? `${sentence} The service times out after 20 s, so every attempt fails (spec 6.4).`
    : sentence
}

export function ResponseRule({ hook }: { readonly hook: Hook }) {
  const call = useCall()
  const [isCustom, setCustom] = useState(presetOf(hook.answering) === 'custom')
  const form = useInputForm({
    schema: answeringInputSchema,
    begin: () => hook.answering,
    shows: (field, { drop, failFirst }) =>
      field === 'failStatus'
        ? failFirst !== '0'
        : !['status', 'body', 'headers'].includes(field) || drop !== true,
    early: true,
    submit: (input) => call('hooks.answer', { id: hook.id, rule: input }),
  })
  const { busy, problem } = form
  const rule = form.isValid() ? answeringInputSchema.parse(form.input) : null
  const changed = rule === null || !isSameRule(rule, hook.answering)
  const preset = isCustom || rule === null ? 'custom' : presetOf(rule)
  const reset = () => {
    form.reset(form.draftFor(hook.answering))
    setCustom(presetOf(hook.answering) === 'custom')
  }
  return (
    <form aria-label="Response rule" className="flex flex-col gap-3" {...form.formProps}>
      <div>
        <Segments
          label="Response"
          options={choices}
          value={preset}
          onChange={(value) => {
            setCustom(value === 'custom')
            const chosen = rulePresets.find((one) => one.value === value)
            if (chosen !== undefined) form.change(form.draftFor(chosen.rule))
          }}
        />
      </div>
      {preset === 'custom' && <InputFields form={form} />}
      {problem !== null && <ProblemView problem={problem} />}
      <div className="flex min-h-7 items-center gap-3">
        <p className="min-w-0 flex-1 text-muted" role="status">
          {rule === null ? 'Correct the fields above first.' : ruleSentence(rule)}
        </p>
        {changed && (
          <>
            <Button kind="quiet" onClick={reset}>
              Undo
            </Button>
            <Button kind="primary" type="submit" disabled={busy || rule === null}>
              {busy ? 'Saving…' : 'Save rule'}
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
