/**
 * From an object of the service to the deliveries that name it, a table a partition like the words: filled with them, checked with
 * them, made anew with them. An object is a number of 48 bits made of its kind and id, which keeps the tables a third as large.
 */
import { hash } from 'node:crypto'
import type { ObjectLink } from '../../lifecycle/named-objects.ts'

/** The name of a partition's table of links. */
export function linksTable(partition: number): string {
  return `links_${partition}`
}

/** How an object stands in the tables. */
export function linkKeyOf({ kind, value }: ObjectLink): number {
  return Number.parseInt(hash('sha256', `${kind} ${value}`, 'hex').slice(0, 12), 16)
}

/** What a link adds to the sum that its delivery is remembered with: 24 bits, as a word does. */
export function linkSum(key: number, seq: number): number {
  return (key + seq) % 0x100_0000
}

/** The same in SQL. */
export const LINK_SUM = '(key + seq) % 16777216'
