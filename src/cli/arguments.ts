/** Parsers of option values. Each error says what was expected; commander adds the option's name. */
import { readLatest } from '../shared/model/delivery-ref.ts'
import { InvalidArgumentError } from 'commander'
import type { Command } from './context.ts'
import { z } from 'zod'
import { typedLiteral, type Literals } from '../shared/body/json-literals.ts'
import { nearest } from '../shared/query/problem.ts'
import { eventTypes, isEventName, isEventType } from '../shared/service/event-type.ts'
import { UsageError } from './failure.ts'

/**
 * Parses one option's value; `expected` completes the error. The schema is created on first use: creating unused schemas took a
 * quarter of a quick command's time.
 */
export function readWith<T>(makeSchema: () => z.ZodType<T>, expected: string): (text: string) => T {
  let schema: z.ZodType<T> | undefined
  return (text) => {
    const parsed = (schema ??= makeSchema()).safeParse(text)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

export const digitsAsNumber = () => z.string().regex(/^\d+$/).transform(Number)

/** 0 means any free port. */
export const readPort = readWith(
  () => digitsAsNumber().pipe(z.number().max(65_535)),
  'a port from 0 (any free port) to 65535',
)
export const readCount = readWith(
  () => digitsAsNumber().pipe(z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
  'an integer from 1 to 9007199254740991',
)
/** An integer between two others, both included. */
export function readCountBetween(least: number, most: number): (text: string) => number {
  return readWith(
    () => digitsAsNumber().pipe(z.number().int().min(least).max(most)),
    `an integer from ${least} to ${most}`,
  )
}
export const readCountFromZero = readWith(
  () => digitsAsNumber().pipe(z.number().int().max(Number.MAX_SAFE_INTEGER)),
  'an integer of 0 or more',
)
export const readSeed = readWith(
  () => digitsAsNumber().pipe(z.number().int().max(Number.MAX_SAFE_INTEGER)),
  'an integer of 0 or more',
)
/** Seconds, with decimals, as milliseconds. */
export const readSeconds = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform((text) => Number(text) * 1_000)
      .pipe(z.number().max(2 ** 31 - 1)),
  'seconds, like 30 or 0.5, at most 2147483',
)
/** Seconds above 0, up to a day, as milliseconds. */
export const readMaxTime = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform((text) => Number(text) * 1_000)
      .pipe(z.number().positive().max(86_400_000)),
  'seconds above 0, at most 86400',
)
export const readSpeed = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().positive().max(100_000)),
  'a number above 0, at most 100000',
)
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** A century. Calendars have limits, and so does the sandbox clock. */
const LONGEST_DAYS = 36_500
/** A duration with its unit, as milliseconds. */
export const readDuration = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/)
      .transform(
        (text) =>
          Number.parseFloat(text) * UNIT_MS[/[a-z]+$/.exec(text)![0] as keyof typeof UNIT_MS],
      )
      .pipe(
        z
          .number()
          .positive()
          .max(LONGEST_DAYS * UNIT_MS.d),
      ),
  `a duration like 90s, 15m, 72h or 3d, at most ${LONGEST_DAYS}d`,
)
/** A time as milliseconds since the epoch. */
export const readInstant = readWith(
  () => z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  'a time like 2026-11-21T09:30:00Z',
)

/** The values that were given: without those that are undefined. */
export function given<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof given<Values>>
}

/** For options where repeating can only be a mistake. */
export function readOnce(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Option given twice. Use it once.')
  return text
}

/** Also rejects an empty value, which an unset shell variable leaves behind. */
export function readFilled(text: string, previous: string | undefined): string {
  if (text.trim() === '') throw new InvalidArgumentError('Option needs a value.')
  return readOnce(text, previous)
}

/** Rejects what can only be a mistake: a name that no event has, or one that is almost an event of the spec. */
function checkEventName(text: string): void {
  if (!isEventName(text) || nearest(text, eventTypes).length > 0) checkEventType(text)
}

function checkEventType(text: string): void {
  if (isEventType(text)) return
  const [meant] = nearest(text, eventTypes)
  const advice =
    meant === undefined
      ? `Use one of: ${eventTypes.join(', ')} (spec 6.1).`
      : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`Unknown event "${text}". ${advice}`)
}

/** An event of a hook, which the spec may not list. */
export function readEventName(text: string, previous: string | undefined): string {
  if (!isEventName(text)) checkEventType(text)
  return readOnce(text, previous)
}

/** An event name, as an option or an argument. */
export function readEventType(text: string, previous: string | undefined): string {
  checkEventType(text)
  return readOnce(text, previous)
}

/** A delivery: an ID or part of one, `latest`, `latest~N` or `latest:EVENT`. */
export function readDeliveryRef(text: string): string {
  const event = readLatest(text)?.event ?? null
  if (event !== null) checkEventName(event)
  return text
}

export function readFilledDeliveryRef(text: string, previous: string | undefined): string {
  return readDeliveryRef(readFilled(text, previous))
}

export function readDeliveryRefs(
  text: string,
  previous: readonly string[] | undefined,
): readonly string[] {
  return readMany(readDeliveryRef(text), previous)
}

/** For repeatable options. */
export function readMany(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text]
}

/** `path=value`: the value is JSON as typed (`amount=10.00` stays `10.00`), or text without quotes. Adds to the previous ones. */
export function readLiteral(text: string, previous: Literals | undefined): Literals {
  const [path, value] = splitAssignment(text)
  return { ...previous, [path]: typedLiteral(value) }
}

function splitAssignment(text: string): readonly [path: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1)
    throw new InvalidArgumentError(
      'Expected path=value, for example amount=12.5 or card.lastNumbers=4001.',
    )
  return [text.slice(0, equals), text.slice(equals + 1)]
}

/**
 * Lets a query begin with a minus: `-is:valid`, `-(a OR b)`. Commander would read these as unknown options, `-has:json` as `-h`,
 * and `-offer:X` as `-o`. An option of one letter therefore needs its value as a separate word. The query is the last argument; the
 * error for an unquoted query shows how to quote it.
 */
export function takeQuery(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  const takesNext = (word = '') =>
    command.options.some(
      ({ required, short, long }) => required && (word === short || word === long),
    )
  command.parseOptions = (words) => {
    const end = words.indexOf('--')
    const isQuery = (word: string, place: number) =>
      /^-[^-]./.test(word) && !takesNext(words[place - 1]) && (end === -1 || place < end)
    // A leading space makes it an ordinary word with the same meaning.
    return parseOptions(words.map((word, place) => (isQuery(word, place) ? ` ${word}` : word)))
  }
  const place = command.registeredArguments.length - 1
  command.allowExcessArguments().hook('preAction', ({ args }) => {
    const words = args.slice(place).map((word) => word.trim())
    if (words.length > 1)
      throw new UsageError(`A query is one argument. Quote it: '${words.join(' ')}'.`)
  })
}
