/** Arguments that name deliveries, by ID or query. */
import { parseLatestRef, parseNameRef, isShortId } from '../../shared/model/delivery-ref.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import { UsageError } from '../context.ts'
import { Input, argument, readFilled, readMany } from './input.ts'
import { checkEventName } from './event-names.ts'

const DELIVERY_IDS = 'IDs (8 or more characters), latest, latest~N, latest:EVENT or name:NAME'

export function deliveryId(): Input<string> {
  return argument('<id>', `delivery ${DELIVERY_IDS.replace('IDs', 'ID')}`, readDeliveryRef)
}

/**
 * Creates the argument for several deliveries.
 * @param what Their purpose, for help.
 */
export function deliveryIds(
  flags: '<id...>' | '[id...]',
  what = 'delivery',
  otherwise = '',
): Input<string[]> {
  return new Input<string[]>(flags, `${what} ${DELIVERY_IDS}${otherwise}`, [], (one, previous) =>
    readMany(readDeliveryRef(one), previous),
  )
}

/** Throws `INVALID_QUERY` if a query can't be parsed. */
export function checkQuery(query: string | undefined): void {
  parseQuery(query ?? '')
}

/** Creates the argument for a query, which may begin with a minus. */
export function queryArgument(flags: '[query]' | '<query>', help: string): Input<string> {
  return new Input<string>(flags, help, '', (query) => query.trimStart()).with({
    isQuery: true,
    check: checkQuery,
  })
}

/** Whether an argument names a delivery instead of a query. */
export function isDeliveryRef(word: string): boolean {
  return parseLatestRef(word) !== null || parseNameRef(word) !== null || isShortId(word)
}

export function refuseTwoQueries(one: string | undefined, other: string | undefined): void {
  if (one !== undefined && other !== undefined && one.trim() !== other.trim())
    throw new UsageError('Two different queries given. Use one.')
}

/**
 * Returns deliveries or a query: a single argument that names no delivery is a query. Throws
 * `INVALID_QUERY`.
 */
export function idsOrQuery({
  ids,
  query,
}: {
  readonly ids: string[]
  readonly query: string | undefined
}): { readonly ids: string[]; readonly query: string | undefined } {
  const singleId = ids.length === 1 ? ids[0] : undefined
  const word = singleId === undefined || isDeliveryRef(singleId) ? undefined : singleId.trim()
  refuseTwoQueries(word, query)
  checkQuery(word ?? query)
  return { ids: word === undefined ? ids : [], query: word ?? query }
}

/**
 * Reads a delivery: an ID or part of one, `latest`, `latest~N`, `latest:EVENT` or
 * `name:NAME`.
 */
export function readDeliveryRef(text: string): string {
  const event = parseLatestRef(text)?.event ?? null
  if (event !== null) checkEventName(event)
  return text
}

export function readFilledDeliveryRef(text: string, previous: string | undefined): string {
  return readDeliveryRef(readFilled(text, previous))
}
