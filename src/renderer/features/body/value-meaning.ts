/** The meaning of a value, shown beside it: amounts with their currency, times with their zone. */
import { childOf, type JsonNode } from '../../../shared/json/tree.ts'
import { groupThousands, minorDigits } from '../../../shared/text/amount.ts'
import { calendarDay, clockTime, duration } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

export interface Meaning {
  readonly text: string
  readonly title: string
}

/** Most characters shown of a text that isn't a currency code. */
const MAX_CODE_LENGTH = 12
const currencies = new Set(Intl.supportedValuesOf('currency'))
const numberParts = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Explains an amount in major and, if possible, in minor units, because the spec (2.6) doesn't say
 * which. Null without a currency, or for scientific notation.
 */
export function amountMeaning(written: string, currency: string | null): Meaning | null {
  const code = currency?.toUpperCase() ?? ''
  const parts = numberParts.exec(written)
  if (parts === null || currency === null) return null
  if (!currencies.has(code)) {
    const name = visibleText(
      currency.length > MAX_CODE_LENGTH ? `${currency.slice(0, MAX_CODE_LENGTH)}…` : currency,
    )
    return {
      text: `unknown currency ${name}`,
      title: `Unknown currency code "${name}", so its minor unit is unknown too.`,
    }
  }
  const [, sign = '', whole = '', fraction = ''] = parts
  const places = minorDigits(code) ?? 2
  const specNote = "The spec doesn't say whether amounts are in major or minor units (spec 2.6)."
  if (places === 0)
    return /[1-9]/.test(fraction)
      ? {
          text: `${code} has no minor unit`,
          title: `${written} has decimals, but ${code} doesn't use any.`,
        }
      : {
          text: `${code} ${sign}${groupThousands(whole)}`,
          title: `${code} has no minor unit.`,
        }
  if (/[1-9]/.test(fraction.slice(places)))
    return {
      text: `too many decimals for ${code}`,
      title: `${written} has ${fraction.length} decimals; ${code} allows ${places}.`,
    }
  const major = `${code} ${sign}${groupThousands(whole)}.${fraction.slice(0, places).padEnd(places, '0')}`
  const minor = groupThousands(
    (whole + fraction.slice(0, places).padEnd(places, '0')).replace(/^0+(?=\d)/, ''),
  )
  const counted = `${sign}${minor} minor units`
  if (fraction !== '')
    return {
      text: `${major} · ${counted}`,
      title: `${major} is ${counted}. ${specNote}`,
    }
  const digits = whole.padStart(places + 1, '0')
  const asMinor = `${code} ${sign}${groupThousands(digits.slice(0, -places))}.${digits.slice(-places)}`
  return {
    text: `${major} · ${asMinor} if in minor units`,
    title: `${major} if the amount is in ${code}, ${asMinor} if in minor units. ${specNote}`,
  }
}

/** Names of fields with money (spec 2.6 and 2.7). */
const moneyNames = new Set(['amount', 'cashback', 'performanceFee'])
/** Maximum fields of an object that is searched for a currency, above any in the spec. */
const MAX_SIBLINGS = 1_000
const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const zonelessTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/
const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:?\d\d$/

/**
 * Explains a value; null if there is nothing to add.
 * @param receivedAt Time of receipt, ISO 8601.
 */
export function meaningOf(node: JsonNode, receivedAt: string): Meaning | null {
  const { kind, start, end, name } = node
  if (kind === 'number')
    return name !== null && moneyNames.has(name) ? amountMeaning(node.raw, currencyFor(node)) : null
  const value = end - start > 40 ? null : node.string
  if (value === null) return null
  if (name === 'expDate' && /-01T00:00:00\.000Z$/.test(value)) return expiry(value)
  if (utcTime.test(value) || offsetTime.test(value)) return timeMeaning(value, receivedAt)
  if (!zonelessTime.test(value)) return null
  const zone = name === 'datetime' ? textAt(rootOf(node), ['location', 'timezone']) : null
  return {
    text: zone === null ? 'no time zone' : `no time zone; the location is in ${zone}`,
    title:
      "The payment time has no time zone, and the spec doesn't say which one applies (spec 2.6).",
  }
}

function timeMeaning(value: string, receivedAt: string): Meaning | null {
  const time = new Date(value)
  if (Number.isNaN(time.getTime()))
    return { text: 'invalid time', title: "This date or time doesn't exist." }
  const iso = time.toISOString()
  const ms = time.getTime() - Date.parse(receivedAt)
  const distance =
    Math.abs(ms) < 1_000 ? 'at receipt' : `${duration(ms)} ${ms < 0 ? 'before' : 'after'} receipt`
  const here = time.getTimezoneOffset() === 0 ? null : `${calendarDay(iso)} ${clockTime(iso)} here`
  return {
    text: ['UTC', here, distance]
      .filter((part) => part !== null && !(part === 'UTC' && !value.endsWith('Z')))
      .join(' · '),
    title: `${iso} is ${calendarDay(iso)} ${clockTime(iso)} in your time zone.`,
  }
}

function expiry(value: string): Meaning {
  return {
    text: `expires ${value.slice(5, 7)}/${value.slice(0, 4)}`,
    title: "First day of the card's expiry month, midnight UTC (spec 2.5).",
  }
}

/** Returns the currency of the nearest enclosing object that has one. */
function currencyFor(node: JsonNode): string | null {
  for (let at = node.parent; at !== null; at = at.parent) {
    const currency = textAt(at, ['currency'])
    if (currency !== null) return currency
  }
  return null
}

function rootOf(node: JsonNode): JsonNode {
  let root = node
  while (root.parent !== null) root = root.parent
  return root
}

function textAt(from: JsonNode, names: readonly string[]): string | null {
  const node = names.reduce<JsonNode | null>(
    (at, name) => (at !== null && at.children.length > MAX_SIBLINGS ? null : childOf(at, name)),
    from,
  )
  return node?.string ?? null
}
