import { counted } from './counted.ts'

/** How many deliveries, in words: `1 delivery`, `1,234 deliveries`. */
export function deliveryCount(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}

/** `1 possible match`, `2 possible matches`: deliveries that an `event:` only may match. */
export function possibleMatches(count: number): string {
  return counted(count, 'possible match', 'possible matches')
}
