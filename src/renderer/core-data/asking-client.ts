/** Asks the user for the consent that a call needs, stores it, and repeats the call. */
import { z } from 'zod'
import type { CommandName, InputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ConsentSubject } from '../../shared/model/consent.ts'
import type { Client } from '../../shared/rpc/client.ts'

export type ConsentQuestion =
  | {
      readonly about: 'host'
      readonly host: string
      /** False if the name doesn't resolve, so that the host may be remote. */
      readonly hasAddress: boolean
      /** Maximum requests of this call; null if unknown. */
      readonly requests: number | null
      readonly command: CommandName
    }
  | {
      readonly about: 'live'
      readonly environments: readonly string[]
      /** Gerund of the action, such as `deleting a hook`. */
      readonly what: string
    }
  | { readonly about: 'count'; readonly count: number }

const hostSchema = z.object({
  host: z.string(),
  hasAddress: z.boolean().default(true),
  requests: z.number().nullable().default(null),
})
const liveSchema = z.object({ environments: z.array(z.string()), what: z.string() })
const countSchema = z.object({ count: z.number() })

/** Returns the question behind a rejected call; null if it needs no consent. */
export function questionOf(error: unknown, command: CommandName): ConsentQuestion | null {
  if (!(error instanceof AppError)) return null
  const { code, details } = error
  if (code === 'TARGET_NOT_ALLOWED') {
    const host = hostSchema.safeParse(details).data
    return host === undefined ? null : { about: 'host', ...host, command }
  }
  if (code !== 'CONFIRMATION_REQUIRED') return null
  const live = liveSchema.safeParse(details).data
  if (live !== undefined) return { about: 'live', ...live }
  const count = countSchema.safeParse(details).data
  return count === undefined ? null : { about: 'count', ...count }
}

const subjectsOf = (question: Exclude<ConsentQuestion, { about: 'count' }>): ConsentSubject[] =>
  question.about === 'host'
    ? [{ about: 'host', name: question.host }]
    : question.environments.map((name) => ({ about: 'environment', name }))

/** Wraps a client so that calls ask for consent; denied calls reject with `CANCELLED`. */
export function askingClient(
  client: Client,
  ask: (question: ConsentQuestion) => Promise<boolean>,
): Client {
  return {
    ...client,
    async call(command, input, options) {
      let currentInput: InputOf<typeof command> = input
      for (;;) {
        try {
          return await client.call(command, currentInput, options)
        } catch (error) {
          const question = questionOf(error, command)
          if (question === null) throw error
          if (!(await ask(question)))
            throw new AppError('CANCELLED', 'Nothing was sent or changed.', { cause: error })
          if (question.about === 'count') currentInput = { ...currentInput, most: question.count }
          else await client.call('consent.give', { subjects: subjectsOf(question) })
        }
      }
    },
  }
}
