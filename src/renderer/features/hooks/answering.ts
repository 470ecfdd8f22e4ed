/** Describes response rules and lists the presets. */
import type { AnsweringRule } from '../../../shared/model/hook.ts'
import {
  headersOfRows,
  repeatedNames,
  rowsOfHeaders,
  type HookHeaderRow,
} from './header-editor.tsx'

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

export const answeringPresets: readonly { readonly name: string; readonly rule: AnsweringRule }[] =
  [
    { name: '200 immediately', rule: plainAnswer },
    { name: 'Fail twice, then 200', rule: { ...plainAnswer, failFirst: 2 } },
    { name: '200 after 25 s', rule: { ...plainAnswer, delayMs: 25_000 } },
    { name: 'Drop connection', rule: { ...plainAnswer, drop: true } },
  ]

/** How long the service waits for a response, in milliseconds (spec 6.4). */
const LONGEST_WAIT_MS = 20_000

/** Describes what a rule does and how the service reacts, in one or two sentences. */
export function answeringSentence(rule: AnsweringRule): string {
  const seconds = rule.delayMs / 1_000
  const after = rule.delayMs === 0 ? '' : ` after ${seconds} s`
  const then = rule.drop
    ? `closes the connection${after} without a response`
    : `returns ${rule.status}${rule.delayMs === 0 ? ' immediately' : after}`
  const first =
    rule.failFirst === 0
      ? ''
      : rule.failFirst === 1
        ? `Fails the first attempt of each notification with ${rule.failStatus}, then `
        : `Fails the first ${rule.failFirst} attempts of each notification with ${rule.failStatus}, then `
  const sentence = `${first}${first === '' ? then.charAt(0).toUpperCase() + then.slice(1) : then}.`
  return rule.delayMs > LONGEST_WAIT_MS
    ? `${sentence} The service times out after 20 s, so every attempt fails (spec 6.4).`
    : sentence
}

export function sameAnswer(one: AnsweringRule, other: AnsweringRule): boolean {
  const flat = ({ headers, ...rest }: AnsweringRule) =>
    JSON.stringify([
      rest.status,
      rest.body,
      rest.delayMs,
      rest.drop,
      rest.failFirst,
      rest.failStatus,
      Object.entries(headers),
    ])
  return flat(one) === flat(other)
}

/** A rule being edited. */
export interface AnsweringDraft {
  readonly status: string
  /** In seconds. */
  readonly delay: string
  readonly failFirst: string
  readonly failStatus: string
  readonly drop: boolean
  readonly body: string
  readonly headers: readonly HookHeaderRow[]
}

export function answeringDraft(rule: AnsweringRule): AnsweringDraft {
  return {
    status: String(rule.status),
    delay: String(rule.delayMs / 1_000),
    failFirst: String(rule.failFirst),
    failStatus: String(rule.failStatus),
    drop: rule.drop,
    body: rule.body,
    headers: rowsOfHeaders(rule.headers),
  }
}

type NumberField = 'status' | 'delay' | 'failFirst' | 'failStatus'

/** The rule that a draft makes, or its problems by field. Uses the bounds of the model. */
export function ruleOfDraft(draft: AnsweringDraft): {
  readonly rule: AnsweringRule | null
  readonly problems: Readonly<Partial<Record<NumberField, string>>>
} {
  const problems: Partial<Record<NumberField, string>> = {}
  const read = (field: NumberField, from: number, to: number, isWhole = true): number => {
    const text = draft[field].trim()
    const value = Number(text)
    if (text !== '' && value >= from && value <= to && (!isWhole || Number.isInteger(value)))
      return value
    problems[field] = `Enter ${isWhole ? 'an integer' : 'a number'} from ${from} to ${to}.`
    return from
  }
  const rule: AnsweringRule = {
    status: read('status', 200, 599),
    delayMs: Math.round(read('delay', 0, 300, false) * 1_000),
    failFirst: read('failFirst', 0, 100),
    failStatus: read('failStatus', 200, 599),
    drop: draft.drop,
    body: draft.body,
    headers: headersOfRows(draft.headers),
  }
  const isUsable = Object.keys(problems).length === 0 && repeatedNames(draft.headers).size === 0
  return { rule: isUsable ? rule : null, problems }
}
