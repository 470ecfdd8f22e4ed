/** The context of a command, and errors with their exit codes. */
import type { Readable, Writable } from 'node:stream'
import { CommanderError, InvalidArgumentError } from 'commander'
import type { Output } from './print.ts'
import { AppError, type ErrorCode } from '../shared/contract/errors.ts'
import { z } from 'zod'
import { printableText } from '../shared/text/printable.ts'

export interface CommandContext {
  readonly version: string
  /** Folder of this build, ending in a slash; it contains the core's workers. */
  readonly build: URL
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly output: Output
  readonly now: () => number
  /** Logs a bug in the data folder; resolves with a sentence that has only its reference. */
  reportBug(error: unknown, where: string): Promise<string>
  exit(code: ExitCode): void
  /** Runs another command in this process; a failure is printed to its own `stderr`. */
  runAnother(words: readonly string[], streams: CommandStreams): Promise<ExitCode>
}

export interface CommandStreams {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
}

/** Exit codes: success, negative result, wrong usage, failure. */
export const EXIT = { done: 0, negative: 1, usage: 2, failed: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Wrong usage of the command line; the message says what to fix. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

const usageCodes: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'INVALID_QUERY',
  'INVALID_FLOW',
  'INVALID_SETUP',
]
/** Errors that mean wrong usage only if `details` lists broken rules. */
const ruleCodes: readonly ErrorCode[] = ['INVALID_HOOK', 'INVALID_ENVIRONMENT']

function isUsage({ code, details }: AppError): boolean {
  return usageCodes.includes(code) || (ruleCodes.includes(code) && Array.isArray(details))
}

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

/** Adds the file to an error: the system names it if opening fails, but not if reading does. */
export function withFilePath(error: unknown, file: string): unknown {
  if (isSystemError(error)) error.path ??= file
  return error
}

const systemReasons: Readonly<Record<string, { readonly reason: string; readonly next: string }>> =
  {
    ENOENT: { reason: 'File or folder not found', next: 'Check the path' },
    EACCES: { reason: 'Permission denied', next: 'Change its permissions or choose another path' },
    EPERM: {
      reason: 'Operation not permitted',
      next: 'Change its permissions or choose another path',
    },
    EISDIR: { reason: 'Expected a file, but this is a folder', next: 'Choose a file' },
    ENOTDIR: { reason: 'Part of the path is a file, not a folder', next: 'Check the path' },
    ENOSPC: { reason: 'The disk is full', next: 'Free some space, then try again' },
    ENAMETOOLONG: { reason: 'The path is too long', next: 'Choose a shorter one' },
    EEXIST: { reason: 'Expected a folder, but a file has this name', next: 'Choose another path' },
  }

/** Explains common system errors; returns the system's message for others. */
function systemErrorSentence({
  code = '',
  path: from,
  dest,
  message,
}: NodeJS.ErrnoException & { readonly dest?: string }): string {
  // With two paths, the first is temporary and the second is the user's.
  const path = dest ?? from
  if (path === '') return 'File name is empty. Enter one.'
  const systemReason = systemReasons[code]
  if (systemReason === undefined) return `${message}.`
  return `${systemReason.reason}${path === undefined ? '' : `: ${path}`} (${code}). ${systemReason.next}.`
}

/** Returns the invalid query with a mark under the error; empty for other errors. */
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

/**
 * Returns the masked request to the service that failed, and the response if the message cuts it;
 * empty for other errors.
 */
function exchangeOf({ details, message }: AppError): string {
  const parsed = sentSchema.safeParse(details)
  if (!parsed.success) return ''
  const { body, sent } = parsed.data
  const lines = [
    ...(body === undefined || message.includes(body.trim())
      ? []
      : ['Response:', ...body.split('\n')]),
    `Request: ${sent.method} ${sent.url}`,
    ...sent.headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(sent.body === null || sent.body === undefined ? [] : [`  ${JSON.stringify(sent.body)}`]),
  ]
  return `\n${lines.map(printableText).join('\n')}`
}

/**
 * Returns the message for stderr: null if commander printed it, undefined for a bug, which only the
 * log explains.
 */
export function explainError(error: unknown): string | null | undefined {
  if (error instanceof InvalidArgumentError) return printableText(error.message)
  if (error instanceof CommanderError) return null
  if (error instanceof AppError && error.code === 'INVALID_FLOW')
    return error.message.split('\n').map(printableText).join('\n')
  if (error instanceof AppError)
    return printableText(error.message) + pointerOf(error) + exchangeOf(error)
  if (error instanceof UsageError) return printableText(error.message)
  if (isSystemError(error)) return printableText(systemErrorSentence(error))
  return undefined
}
