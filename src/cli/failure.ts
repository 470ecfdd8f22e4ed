/** How a command ends: the exit codes that scripts depend on, and the one sentence that goes with a failure. */
import { CommanderError } from 'commander'
import { z } from 'zod'
import { printableText } from '../shared/text/printable.ts'
import { AppError, type ErrorCode } from '../shared/contract/errors.ts'

/** 0: done. 1: the answer is "no". 2: wrong usage. 3: it could not be done. */
export const EXIT = { done: 0, no: 1, usage: 2, failed: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command line does not make sense; the message says which part, and what would. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Failures of the core that are down to what was given on the command line. */
const usageCodes: readonly ErrorCode[] = ['INVALID_INPUT', 'INVALID_QUERY', 'INVALID_FLOW']
/** These are so only where rules were broken: their details list which. Else the state of things is in the way. */
const ruleCodes: readonly ErrorCode[] = ['INVALID_HOOK', 'INVALID_ENVIRONMENT']

function isUsage({ code, details }: AppError): boolean {
  return usageCodes.includes(code) || (ruleCodes.includes(code) && Array.isArray(details))
}

/** Whether the instance that a command worked with has gone. */
export function isDisconnected(error: unknown): boolean {
  return error instanceof AppError && error.code === 'DISCONNECTED'
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof AppError && isUsage(error) ? EXIT.usage : EXIT.failed
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

/** The same error with the file that it is about: the system names it where it cannot be opened, and not where it cannot be read. */
export function aboutFile(error: unknown, file: string): unknown {
  if (isSystemError(error)) error.path ??= file
  return error
}

const systemReasons: Readonly<Record<string, { readonly reason: string; readonly next: string }>> = {
  ENOENT: { reason: 'File or folder not found', next: 'Check the path' },
  EACCES: { reason: 'Permission denied', next: 'Change its permissions or choose another path' },
  EPERM: { reason: 'Operation not permitted', next: 'Change its permissions or choose another path' },
  EISDIR: { reason: 'Expected a file, but this is a folder', next: 'Name a file' },
  ENOTDIR: { reason: 'Part of the path is a file, not a folder', next: 'Check the path' },
  ENOSPC: { reason: 'The disk is full', next: 'Free some space, then try again' },
  EEXIST: { reason: 'Expected a folder, but a file has this name', next: 'Choose another path' },
}

/** A file that is not there, a folder that may not be written; what is rarer the system's own words say. */
function sentenceOf({ code = '', path: from, dest, message }: NodeJS.ErrnoException & { readonly dest?: string }): string {
  // Of two files the second is the one that was asked for: the first is only there until all is written.
  const path = dest ?? from
  if (path === '') return 'File name is empty. Name a file.'
  const known = systemReasons[code]
  if (known === undefined) return `${message}.`
  return `${known.reason}${path === undefined ? '' : `: ${path}`} (${code}). ${known.next}.`
}

/** The details of a query that cannot be read hold the query with a mark under the character in question. */
function pointerOf(error: AppError): string {
  const pointer = (error.details as { pointer?: unknown } | null | undefined)?.pointer
  return error.code === 'INVALID_QUERY' && typeof pointer === 'string'
    ? `\n${pointer.split('\n').map(printableText).join('\n')}`
    : ''
}

const sentSchema = z.object({
  body: z.string().optional(),
  sent: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.unknown(),
  }),
})

/** Of a call to the service that failed: what was sent, secrets masked, and the whole answer where the sentence cuts it. */
function exchangeOf({ details, message }: AppError): string {
  const parsed = sentSchema.safeParse(details)
  if (!parsed.success) return ''
  const { body, sent } = parsed.data
  const lines = [
    ...(body === undefined || message.includes(body.trim()) ? [] : ['Response:', ...body.split('\n')]),
    `Request: ${sent.method} ${sent.url}`,
    ...sent.headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(sent.body === null || sent.body === undefined ? [] : [`  ${JSON.stringify(sent.body)}`]),
  ]
  return `\n${lines.map(printableText).join('\n')}`
}

/**
 * The sentence for stderr. Null if it was printed already (commander prints its own), undefined if the error is a bug, which only
 * the log explains.
 */
export function explain(error: unknown): string | null | undefined {
  if (error instanceof CommanderError) return null
  // One line a problem.
  if (error instanceof AppError && error.code === 'INVALID_FLOW') return error.message.split('\n').map(printableText).join('\n')
  if (error instanceof AppError) return printableText(error.message) + pointerOf(error) + exchangeOf(error)
  if (error instanceof UsageError) return printableText(error.message)
  if (isSystemError(error)) return printableText(sentenceOf(error))
  return undefined
}
