/**
 * Parses a hook's response rule: `status=500,delay=2s,drop`. `header=` and `body=` take the rest of
 * the text, commas included.
 */
import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import type { answeringRuleSchema } from '../shared/model/hook.ts'
import { parsedOption } from './options/input.ts'
import { readHeader } from './options/value-readers.ts'

type AnswerRule = z.input<typeof answeringRuleSchema>

const ANSWER_HELP =
  "the receiver's response: status=N, delay=2s or 500ms, fail-first=N, fail-status=N, drop, header=Name: value or body=text; plain for 200 (repeatable)"

function readNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError(`${name} must be an integer, for example ${name}=500.`)
}

function readDelay(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? []
  if (amount === undefined)
    throw new InvalidArgumentError(
      'delay must be a time with a unit, for example delay=2s or delay=500ms.',
    )
  return Math.round(Number(amount) * (unit === 's' ? 1_000 : 1))
}

/** Adds one setting: `status=500` or `drop`. */
function withSetting(rule: AnswerRule, setting: string): AnswerRule {
  const [, name = '', value] =
    /^([a-z-]+)(?:=([\s\S]*))?$/.exec(setting.startsWith('body=') ? setting : setting.trimEnd()) ??
    []
  if (value === undefined) {
    if (name === 'plain') return {}
    if (name === 'drop') return { ...rule, drop: true }
  } else {
    if (name === 'status') return { ...rule, status: readNumber(name, value) }
    if (name === 'fail-first') return { ...rule, failFirst: readNumber(name, value) }
    if (name === 'fail-status') return { ...rule, failStatus: readNumber(name, value) }
    if (name === 'delay') return { ...rule, delayMs: readDelay(value) }
    if (name === 'body') return { ...rule, body: value }
    if (name === 'header')
      return { ...rule, headers: { ...rule.headers, ...readHeader(value, undefined) } }
  }
  throw new InvalidArgumentError(`Unknown setting "${setting}". Expected ${ANSWER_HELP}.`)
}

/** Reads one `--answer` and adds it to the previous ones. */
export function readAnswer(text: string, previous: AnswerRule | undefined): AnswerRule {
  const rest = text.search(/(?<=^|,)\s*(?:header|body)=/)
  const settings =
    rest === -1
      ? text.split(',')
      : [...text.slice(0, rest).split(',').slice(0, -1), text.slice(rest)]
  return settings.reduce((rule, setting) => withSetting(rule, setting.trimStart()), previous ?? {})
}

export const answerOption = parsedOption('<rule>', ANSWER_HELP, readAnswer)
