/** Readers of option values. Each says what it takes where it is given something else; commander adds the option's name. */
import { readLatest } from '../shared/model/delivery.ts'
import { InvalidArgumentError } from 'commander'
import type { Command } from './context.ts'
import { z } from 'zod'
import { typedLiteral, type Literals } from '../shared/body/json-literals.ts'
import { nearest } from '../shared/query/problem.ts'
import { eventTypes, isEventType } from '../shared/service/event-type.ts'
import { UsageError } from './failure.ts'

/**
 * A reader of one option's value; `expected` completes the error. The schema is made when the option is first read: the schemas of
 * options that nobody gave took a quarter of the time of a quick command.
 */
export function readWith<T>(makeSchema: () => z.ZodType<T>, expected: string): (text: string) => T {
  let schema: z.ZodType<T> | undefined
  return (text) => {
    const parsed = (schema ??= makeSchema()).safeParse(text)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

/** A text of digits, as a number. */
export const digitsAsNumber = () => z.string().regex(/^\d+$/).transform(Number)

/** A port; 0 stands for any free one. */
export const readPort = readWith(() => digitsAsNumber().pipe(z.number().max(65_535)), 'a port from 0 (any free port) to 65535')
export const readCount = readWith(
  () => digitsAsNumber().pipe(z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
  'an integer from 1 to 9007199254740991',
)
/** A whole number between two others, both included. */
export function readCountBetween(least: number, most: number): (text: string) => number {
  return readWith(() => digitsAsNumber().pipe(z.number().int().min(least).max(most)), `an integer from ${least} to ${most}`)
}
export const readCountFromZero = readWith(
  () => digitsAsNumber().pipe(z.number().int().max(Number.MAX_SAFE_INTEGER)),
  'an integer of 0 or more',
)
export const readSeed = readWith(
  () => digitsAsNumber().pipe(z.number().int().max(Number.MAX_SAFE_INTEGER)),
  'an integer of 0 or more',
)
/** Seconds with decimals; the result is in milliseconds. */
export const readSeconds = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform((text) => Number(text) * 1_000)
      .pipe(z.number().max(2 ** 31 - 1)),
  'seconds, like 30 or 0.5, at most 2147483',
)
/** A limit in seconds, with decimals, at most a day; the result is in milliseconds. */
export const readMaxTime = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform((text) => Number(text) * 1_000)
      .pipe(z.number().positive().max(86_400_000)),
  'seconds above 0, at most 86400',
)
/** A speed: a number above 0. */
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
/** A century: calendars end, and so do the clocks that are moved on by it. */
const LONGEST_DAYS = 36_500
/** A length of time with its unit; the result is in milliseconds. */
export const readDuration = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/)
      .transform((text) => Number.parseFloat(text) * UNIT_MS[/[a-z]+$/.exec(text)![0] as keyof typeof UNIT_MS])
      .pipe(
        z
          .number()
          .positive()
          .max(LONGEST_DAYS * UNIT_MS.d),
      ),
  `a duration like 90s, 15m, 72h or 3d, at most ${LONGEST_DAYS}d`,
)
/** A point in time; the result is in milliseconds since the epoch. */
export const readInstant = readWith(
  () => z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  'a time like 2026-11-21T09:30:00Z',
)

/** For options whose doubling can only be a mistake: the last one does not win quietly. */
export function readOnce(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Option given twice.')
  return text
}

/** The same of an option that says nothing where it is empty, as that of a variable that is not set. */
export function readFilled(text: string, previous: string | undefined): string {
  if (text.trim() === '') throw new InvalidArgumentError('Option needs a value.')
  return readOnce(text, previous)
}

/** Refuses what the service names no event by. */
function checkEventType(text: string): void {
  if (isEventType(text)) return
  const [meant] = nearest(text, eventTypes)
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new InvalidArgumentError(`Unknown event "${text}".${guess} Events: ${eventTypes.join(', ')} (spec 6.1).`)
}

/** An event type that the service names, as an option or an argument. */
export function readEventType(text: string, previous: string | undefined): string {
  checkEventType(text)
  return readOnce(text, previous)
}

/** What names a delivery: its id or a part of it, `latest`, `latest~N`, or `latest:EVENT`, whose event is one that the service names. */
export function readDeliveryRef(text: string): string {
  const event = readLatest(text)?.event ?? null
  if (event !== null) checkEventType(event)
  return text
}

/** The same of an option. */
export function readFilledDeliveryRef(text: string, previous: string | undefined): string {
  return readDeliveryRef(readFilled(text, previous))
}

/** The same of several. */
export function readDeliveryRefs(text: string, previous: readonly string[] | undefined): readonly string[] {
  return readMany(readDeliveryRef(text), previous)
}

/** For options that may be given several times. */
export function readMany(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text]
}

/** `path=value`: the value is JSON as typed (`amount=10.00` stays `10.00`), or a text that needs no quotes. Gathers those given before. */
export function readLiteral(text: string, previous: Literals | undefined): Literals {
  const [path, value] = splitAssignment(text)
  return { ...previous, [path]: typedLiteral(value) }
}

function splitAssignment(text: string): readonly [path: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected path=value, for example amount=12.5 or card.lastNumbers=4001.')
  return [text.slice(0, equals), text.slice(equals + 1)]
}

/**
 * Lets the query of a command begin with a minus: `-is:valid` and `-(a OR b)` are terms. (Commander would take them for options that
 * it does not know, `-has:json` for `-h`, and `-offer:X` for the `-o` of a file of that name.) So an option of one letter takes
 * its value as a word of its own. The query is the last argument: of one that came without quotes it is said how to write it.
 */
export function takeQuery(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  const takesNext = (word = '') =>
    command.options.some(({ required, short, long }) => required && (word === short || word === long))
  command.parseOptions = (words) => {
    const end = words.indexOf('--')
    const isQuery = (word: string, place: number) =>
      /^-[^-]./.test(word) && !takesNext(words[place - 1]) && (end === -1 || place < end)
    // A space in front makes it a word like others, and says the same.
    return parseOptions(words.map((word, place) => (isQuery(word, place) ? ` ${word}` : word)))
  }
  const place = command.registeredArguments.length - 1
  command.allowExcessArguments().hook('preAction', ({ args }) => {
    const words = args.slice(place).map((word) => word.trim())
    if (words.length > 1) throw new UsageError(`A query is one argument. Quote it: '${words.join(' ')}'.`)
  })
}
