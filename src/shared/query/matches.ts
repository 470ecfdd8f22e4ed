/** The plain filter: whether a delivery matches a query, without optimization. The store's SQL must give the same result. */
import { fieldOf, type SearchedDelivery, type SearchField } from './fields.ts'
import { FLAGS } from './flags.ts'
import { compileJsonPredicate } from './json-value.ts'
import { fitsPattern, foldCase, type Bound, type Predicate, type Query } from './query.ts'
import { deliveryHasWords, foldText } from './words.ts'

type Test = (delivery: SearchedDelivery) => boolean

function keepsNumber(value: number, { operator, value: limit }: Bound<number>): boolean {
  switch (operator) {
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '>':
      return value > limit
    case '>=':
      return value >= limit
  }
}

/** Returns what makes texts of a field equal if they count as the same. */
function foldOf(field: SearchField): (text: string) => string {
  if (field.kind !== 'text') return foldCase
  if (field.anywhereIn !== undefined) return foldText
  return field.exact === true ? (text) => text : foldCase
}

function testOfPredicate(predicate: Predicate): Test {
  switch (predicate.kind) {
    case 'flag':
      return FLAGS[predicate.flag].holds
    case 'header': {
      const name = predicate.name.map(foldCase)
      const value = predicate.value?.map(foldCase) ?? null
      return ({ headers }) =>
        headers.some(
          ([there, text]) =>
            fitsPattern(name, foldCase(there)) &&
            (value === null || fitsPattern(value, foldCase(text))),
        )
    }
    case 'words': {
      const { within, wanted } = predicate
      return ({ path, headers, body }) =>
        deliveryHasWords(
          within === 'body' ? { path: null, headers: [], body } : { path, headers, body },
          wanted,
        )
    }
    case 'possible-event':
      return ({ event, eventCandidates }) =>
        event === null &&
        eventCandidates.some((candidate) => fitsPattern(predicate.pattern, candidate))
    case 'json':
    case 'contains': {
      const holds = compileJsonPredicate(predicate)
      return ({ body }) => holds(body)
    }
    default: {
      const field = fieldOf(predicate.field)
      if (!('read' in field)) throw new Error(`The field ${predicate.field} has no value.`)
      const read: (delivery: SearchedDelivery) => string | number | null = field.read
      if (predicate.kind === 'one-of') {
        return (delivery) => {
          const value = read(delivery)
          return typeof value === 'string' && predicate.values.includes(value)
        }
      }
      if (predicate.kind === 'bounds')
        return (delivery) => {
          const value = read(delivery)
          return (
            typeof value === 'number' &&
            predicate.bounds.every((bound) => keepsNumber(value, bound))
          )
        }
      const fold = foldOf(field)
      const pattern = predicate.pattern.map(fold)
      return (delivery) => {
        const value = read(delivery)
        return typeof value === 'string' && fitsPattern(pattern, fold(value))
      }
    }
  }
}

export function createFilter(query: Query): Test {
  switch (query.kind) {
    case 'all': {
      const tests = query.of.map(createFilter)
      return (delivery) => tests.every((test) => test(delivery))
    }
    case 'any': {
      const tests = query.of.map(createFilter)
      return (delivery) => tests.some((test) => test(delivery))
    }
    case 'not': {
      const test = createFilter(query.of)
      return (delivery) => !test(delivery)
    }
    default:
      return testOfPredicate(query)
  }
}
