/** A hook's response rule: presets, and behind "Custom" each field. */
import { useState } from 'react'
import type { AnsweringRule, Hook } from '../../../shared/model/hook.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-outcome.ts'
import {
  HeaderEditor,
  headersOfRows,
  repeatedNames,
  rowsOfHeaders,
  type HookHeaderRow,
} from './hook-form.tsx'

/** Returns 200 immediately. The default. */
export const plainAnswer: AnsweringRule = {
  status: 200,
  headers: {},
  body: '',
  delayMs: 0,
  drop: false,
  failFirst: 0,
  failStatus: 500,
}

export const rulePresets = [
  { value: 'accept', label: 'Accept', rule: plainAnswer },
  { value: 'fail', label: 'Fail once', rule: { ...plainAnswer, failFirst: 1 } },
  { value: 'wait', label: 'Time out', rule: { ...plainAnswer, delayMs: 25_000 } },
  { value: 'drop', label: 'Drop', rule: { ...plainAnswer, drop: true } },
] as const
type Preset = (typeof rulePresets)[number]['value'] | 'custom'
const choices: readonly { readonly value: Preset; readonly label: string }[] = [
  ...rulePresets,
  { value: 'custom', label: 'Custom' },
]

function presetOf(rule: AnsweringRule): Preset {
  return rulePresets.find((preset) => sameRule(preset.rule, rule))?.value ?? 'custom'
}

/** How long the service waits for a response, in milliseconds (spec 6.4). */
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

const fields = Object.keys(plainAnswer) as readonly (keyof AnsweringRule)[]
const written = (rule: AnsweringRule) => JSON.stringify(fields.map((name) => rule[name]))

/** Whether two rules answer alike, also in the order of their headers. */
export function sameRule(one: AnsweringRule, other: AnsweringRule): boolean {
  return written(one) === written(other)
}

export interface RuleDraft {
  readonly status: string
  /** In seconds. */
  readonly delay: string
  readonly failFirst: string
  readonly failStatus: string
  readonly drop: boolean
  readonly body: string
  readonly headers: readonly HookHeaderRow[]
}

/** A rule as its form shows it: numbers as text, the delay in seconds. */
export function draftOfRule({ delayMs, headers, ...rule }: AnsweringRule): RuleDraft {
  return {
    ...rule,
    status: String(rule.status),
    delay: String(delayMs / 1_000),
    failFirst: String(rule.failFirst),
    failStatus: String(rule.failStatus),
    headers: rowsOfHeaders(headers),
  }
}

/** The fields with numbers and their bounds in the model. A 2xx doesn't count as a failure. */
const numbers = [
  { name: 'status', label: 'Status', from: 200, to: 599 },
  { name: 'delay', label: 'Delay in seconds', from: 0, to: 300, decimal: true },
  {
    name: 'failFirst',
    label: 'Failing attempts',
    hint: 'The first of each notification',
    from: 0,
    to: 100,
  },
  { name: 'failStatus', label: 'Failure status', hint: '300 to 599', from: 300, to: 599 },
] as const satisfies readonly NumberField[]

interface NumberField {
  readonly name: keyof RuleDraft
  readonly label: string
  readonly hint?: string
  readonly from: number
  readonly to: number
  readonly decimal?: boolean
}

type Problems = Readonly<Partial<Record<(typeof numbers)[number]['name'], string>>>

export function ruleOfDraft(draft: RuleDraft): {
  readonly rule: AnsweringRule | null
  readonly problems: Problems
} {
  const found = numbers.flatMap(({ name, from, to, ...rest }) => {
    const text = draft[name].trim()
    const value = Number(text)
    const isWhole = !('decimal' in rest)
    const isIn = text !== '' && value >= from && value <= to
    return isIn && (!isWhole || Number.isInteger(value))
      ? []
      : [[name, `Enter ${isWhole ? 'an integer' : 'a number'} from ${from} to ${to}.`] as const]
  })
  const { status, delay, failFirst, failStatus, headers, ...rest } = draft
  const rule: AnsweringRule = {
    ...rest,
    status: Number(status),
    delayMs: Math.round(Number(delay) * 1_000),
    failFirst: Number(failFirst),
    failStatus: Number(failStatus),
    headers: headersOfRows(headers),
  }
  const isUsable = found.length === 0 && repeatedNames(headers).size === 0
  return { rule: isUsable ? rule : null, problems: Object.fromEntries(found) }
}

export function ResponseRule({ hook }: { readonly hook: Hook }) {
  const call = useCall()
  const [wantsCustom, setWantsCustom] = useState(presetOf(hook.answering) === 'custom')
  const form = useForm<RuleDraft>({
    begin: () => draftOfRule(hook.answering),
    submit: () => (rule === null ? null : call('hooks.answer', { id: hook.id, rule })),
  })
  const { draft, change, busy, problem } = form
  const { rule, problems } = ruleOfDraft(draft)
  const changed = rule === null || !sameRule(rule, hook.answering)
  const preset = wantsCustom || rule === null ? 'custom' : presetOf(rule)
  const reset = () => {
    form.reset(draftOfRule(hook.answering))
    setWantsCustom(presetOf(hook.answering) === 'custom')
  }
  return (
    <form aria-label="Response rule" className="flex flex-col gap-3" {...form.element}>
      <div>
        <Segments
          label="Response"
          options={choices}
          value={preset}
          onChange={(value) => {
            setWantsCustom(value === 'custom')
            const chosen = rulePresets.find((one) => one.value === value)
            if (chosen !== undefined) change(draftOfRule(chosen.rule))
          }}
        />
      </div>
      {preset === 'custom' && (
        <>
          <div className="grid grid-cols-4 gap-3 @max-[560px]:grid-cols-2">
            {numbers.map(({ name, label, ...rest }) => (
              <TextField
                key={name}
                label={label}
                hint={'hint' in rest ? rest.hint : undefined}
                inputMode={'decimal' in rest ? 'decimal' : 'numeric'}
                value={draft[name]}
                problem={problems[name]}
                disabled={
                  name === 'status'
                    ? draft.drop
                    : name === 'failStatus' && draft.failFirst.trim() === '0'
                }
                onChange={(value) => change({ [name]: value })}
              />
            ))}
          </div>
          <CheckField checked={draft.drop} onChange={(drop) => change({ drop })}>
            Close the connection without a response
          </CheckField>
          {!draft.drop && (
            <>
              <TextAreaField
                label="Body"
                optional
                rows={2}
                value={draft.body}
                onChange={(body) => change({ body })}
              />
              <HeaderEditor
                label="Response headers"
                hint="Sent with the response"
                rows={draft.headers}
                onChange={(headers) => change({ headers })}
              />
            </>
          )}
        </>
      )}
      {problem !== null && <ProblemView problem={problem} />}
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 text-muted" role="status">
          {rule === null ? 'Correct the fields above first.' : ruleSentence(rule)}
        </p>
        {changed && (
          <Button kind="quiet" onClick={reset}>
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
    </form>
  )
}
