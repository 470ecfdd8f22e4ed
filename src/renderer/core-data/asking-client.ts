/**
 * Asks the user for the consent that a call needs, keeps it, and repeats the call. No screen knows
 * about it.
 */
import { z } from 'zod'
import type { CommandName, InputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ConsentSubject } from '../../shared/model/consent.ts'
import type { Client } from '../../shared/rpc/client.ts'

/**
 * A question for consent: to a remote host, to live environments, or to an unusually large number
 * of requests.
 */
export type ConsentQuestion =
  | {
      readonly about: 'host'
      readonly host: string
      /** False if the name doesn't resolve, so it can't be shown to be this computer. */
      readonly hasAddress: boolean
      /** Maximum requests of this call; null if unknown. */
      readonly requests: number | null
      readonly command: CommandName
    }
  | {
      readonly about: 'live'
      readonly environments: readonly string[]
      /** The action as a gerund: `deleting a hook`. */
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

/**
 * Wraps a client. A call that the user denies rejects with `CANCELLED`.
 *
 * @param ask Resolves with the user's answer.
 */
export function askingClient(
  client: Client,
  ask: (question: ConsentQuestion) => Promise<boolean>,
): Client {
  return {
    ...client,
    async call(command, input, options) {
      let asked: InputOf<typeof command> = input
      for (;;) {
        try {
          return await client.call(command, asked, options)
        } catch (error) {
          const question = questionOf(error, command)
          if (question === null) throw error
          if (!(await ask(question)))
            throw new AppError('CANCELLED', 'Nothing was sent or changed.', { cause: error })
          if (question.about === 'count') asked = { ...asked, most: question.count }
          else await client.call('consent.give', { subjects: subjectsOf(question) })
        }
      }
    },
  }
}
