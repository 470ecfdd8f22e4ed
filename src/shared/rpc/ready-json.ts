/** Output of a command that is JSON text already, so that no list is serialized twice. */

const TEXT = Symbol('JSON text')

/** Exists only for the type checker: keeps the type of the output. */
declare const output: unique symbol

export interface ReadyJson<Output> {
  readonly [TEXT]: string
  readonly [output]?: Output
}

/** Marks a text as the JSON of a response; it must be valid. */
export function readyJson<Output>(text: string): ReadyJson<Output> {
  return { [TEXT]: text }
}

export function readyText(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && TEXT in answer
    ? (answer as ReadyJson<unknown>)[TEXT]
    : undefined
}
