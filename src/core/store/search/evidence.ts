/**
 * What the index remembers of a delivery that it has indexed: enough to find out later that it is another one now, or that the
 * words are no longer those that were put in.
 */
import { hash } from 'node:crypto'

/** 48 bits that tell one delivery from another that came under the same seq. */
export function evidenceOf(row: { readonly id: string; readonly body_sha256: string }): number {
  return Number.parseInt(hash('sha256', `${row.id} ${row.body_sha256}`, 'hex').slice(0, 12), 16)
}

/** 24 bits of a word (FNV-1a): the sum over the largest partition of the largest bodies stays below 2^63. */
export function wordSum(word: string): number {
  let sum = 0x811c_9dc5
  for (let index = 0; index < word.length; index++) sum = Math.imul(sum ^ word.charCodeAt(index), 0x0100_0193)
  return sum >>> 8
}

/** The sum over words, each as often as it stands there. */
export function sumOfWords(words: readonly string[]): number {
  let sum = 0
  for (const word of words) sum += wordSum(word)
  return sum
}
