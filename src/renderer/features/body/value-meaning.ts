/** What a value means beyond its characters: amounts with their currency, times with their zone. Said beside it, never in its place. */
import { calendarDay, clockTime, duration } from '../../ui/moment.ts'
import { amountMeaning } from './amount.ts'
import { childAt, nodeKinds, nameOf, unescaped, type JsonTree } from './json-tree.ts'

export interface Meaning {
  readonly text: string
  readonly title: string
  readonly odd: boolean
}

/** Numbers of money: `amount` of a transaction, and two of its offer (sections 2.6 and 2.7). */
const moneyNames = new Set(['amount', 'cashback', 'performanceFee'])
/** Objects with more members than this are none of the interface: they are not searched for a currency. */
const MOST_SIBLINGS = 1_000
const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const zonelessTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/
const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:?\d\d$/

/** Null where there is nothing to say beside it. `receivedAt`: when the delivery came, ISO 8601. */
export function meaningOf(text: string, tree: JsonTree, node: number, receivedAt: string): Meaning | null {
  const name = nameOf(text, tree, node)
  const written = text.slice(tree.starts[node], tree.ends[node])
  if (tree.kinds[node] === nodeKinds.number)
    return name !== null && moneyNames.has(name) ? amountMeaning(written, currencyFor(text, tree, node)) : null
  if (tree.kinds[node] !== nodeKinds.string || written.length > 40) return null
  const value = unescaped(written)
  if (name === 'expDate' && /-01T00:00:00\.000Z$/.test(value)) return expiry(value)
  if (utcTime.test(value) || offsetTime.test(value)) return timeMeaning(value, receivedAt)
  if (!zonelessTime.test(value)) return null
  const zone = name === 'datetime' ? textAt(text, tree, 0, ['location', 'timezone']) : null
  return {
    text: zone === null ? 'no time zone given' : `no time zone given; the location is in ${zone}`,
    title: 'The time of the payment comes without a zone, and the interface does not say in which one it is (section 2.6).',
    odd: false,
  }
}

function timeMeaning(value: string, receivedAt: string): Meaning | null {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return { text: 'no such time', title: 'The calendar has no such day or time.', odd: true }
  const iso = time.toISOString()
  const ms = time.getTime() - Date.parse(receivedAt)
  const distance = Math.abs(ms) < 1_000 ? 'as it arrived' : `${duration(ms)} ${ms < 0 ? 'before' : 'after'} it arrived`
  const here = time.getTimezoneOffset() === 0 ? null : `${calendarDay(iso)} ${clockTime(iso)} here`
  return {
    text: ['UTC', here, distance].filter((part) => part !== null && !(part === 'UTC' && !value.endsWith('Z'))).join(' · '),
    title: `${iso}, which is ${calendarDay(iso)} ${clockTime(iso)} in your time zone.`,
    odd: false,
  }
}

function expiry(value: string): Meaning {
  return {
    text: `expires in ${value.slice(5, 7)}/${value.slice(0, 4)}`,
    title: 'The first day of the month in which the card expires, at midnight UTC (section 2.5).',
    odd: false,
  }
}

/** The currency of the nearest object around the value that has one. */
function currencyFor(text: string, tree: JsonTree, node: number): string | null {
  for (let at = tree.parents[node] ?? -1; at !== -1; at = tree.parents[at] ?? -1) {
    const currency = textAt(text, tree, at, ['currency'])
    if (currency !== null) return currency
  }
  return null
}

function textAt(text: string, tree: JsonTree, from: number, steps: readonly string[]): string | null {
  let at = from
  for (const step of steps) {
    const child = (tree.sizes[at] ?? 0) > MOST_SIBLINGS ? null : childAt(text, tree, at, step)
    if (child === null) return null
    at = child
  }
  return tree.kinds[at] === nodeKinds.string ? unescaped(text.slice(tree.starts[at], tree.ends[at])) : null
}
