/** Profile of fields as a file, sorted so that it can be compared in a repository. */
import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import { profileSchema, type Profile } from './profile-schema.ts'

const VERSION = 1

const headSchema = z.object({ countersign: z.literal('fields'), version: z.number() })

export function writeProfile({ events, unread }: Profile): string {
  const contents = { countersign: 'fields', version: VERSION, unread, events }
  return `${JSON.stringify(contents, null, 1)}\n`
}

/**
 * Reads a profile from a file's text. Throws `INVALID_INPUT` for another file or version.
 * @param name File name for the message.
 */
export function readProfile(text: string, name: string): Profile {
  const refuse = (why: string) =>
    new AppError('INVALID_INPUT', `${name} ${why} Write one with "countersign drift --save FILE".`)
  const value = parsed(text)
  const head = headSchema.safeParse(value)
  if (!head.success) throw refuse("isn't a file of fields.")
  if (head.data.version !== VERSION)
    throw refuse(`has version ${head.data.version}; this Countersign reads version ${VERSION}.`)
  const profile = profileSchema.safeParse(value)
  if (!profile.success) throw refuse('is damaged.')
  return profile.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
