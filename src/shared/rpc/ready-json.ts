/**
 * What a command answers, where it is JSON text already: it travels as it is. The thread that answers is the receiver's, and need
 * not take a list apart and write it again that another thread has read and written.
 */

const TEXT = Symbol('JSON text')
declare const output: unique symbol

export interface ReadyJson<Output> {
  readonly [TEXT]: string
  /** What the text is of. */
  readonly [output]?: Output
}

/** Marks a text as the JSON of an answer; the text must be that. */
export function readyJson<Output>(text: string): ReadyJson<Output> {
  return { [TEXT]: text }
}

/** The text of an answer that is ready; undefined where it is a value. */
export function readyText(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && TEXT in answer ? (answer as ReadyJson<unknown>)[TEXT] : undefined
}
