/**
 * The log of both hosts, one JSON object per line, without secrets and control characters, because
 * it is read in a terminal.
 */
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { MASK } from '../../shared/text/masked-places.ts'
import type { Deps, Log } from '../base/deps.ts'
import { checkDataFolder } from '../base/check-folder.ts'
import { logFolderOf, makeFolder } from '../base/data-folder.ts'
import { printableText } from '../../shared/text/printable.ts'

/** Bytes above which the log is rotated at the next start. */
const LARGEST_LOG = 5 * 1_048_576
const LONGEST_TEXT = 8_000
const DEEPEST = 6

const secretNames =
  /secret|token|ticket|password|authori[sz]ation|authentication|cookie|signature|credential|(^|[-_])key$|apikey/i

/** Secrets within a text: in a URL, in a header, or with the prefix of a secret key. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:token|ticket|key|secret|code|state)=)[^&\s"'#]+/gi, `$1${MASK}`],
  [/\b(ticket\.)[\w-]{16,}/g, `$1${MASK}`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${MASK}`],
  [/\b(https?:\/\/)[^/\s@]+@/gi, `$1${MASK}@`],
  [/\bsk[_-]?[A-Za-z0-9_-]{12,}/g, MASK],
]

function cleanText(text: string): string {
  const masked = secretTexts.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    text.slice(0, LONGEST_TEXT),
  )
  return masked.split('\n').map(printableText).join('\n')
}

/**
 * Returns the value without secrets and control characters; functions and deep objects become a
 * note.
 */
export function cleanForLog(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'bigint') return String(value)
  if (
    value === null ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === undefined
  )
    return value
  if (typeof value !== 'object' || depth >= DEEPEST) return `[${typeof value}]`
  if (value instanceof Error) return cleanError(value, depth)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => cleanForLog(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      cleanText(name),
      secretNames.test(name) ? MASK : cleanForLog(item, depth + 1),
    ]),
  )
}

function cleanError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error
  // A DOMException has a numeric code.
  const code = (error as { readonly code?: string | number }).code
  return {
    name: cleanText(name),
    message: cleanText(message),
    ...(code === undefined ? {} : { code: cleanText(String(code)) }),
    ...(stack === undefined ? {} : { stack: cleanText(stack) }),
    ...(cause === undefined ? {} : { cause: cleanForLog(cause, depth + 1) }),
  }
}

function rotateLog(file: string): void {
  try {
    if (statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`)
  } catch {
    // No log exists yet.
  }
}

/** Opens the log, or returns null, because logging must never make anything fail. */
function openLog(dataFolder: string): Logger | null {
  const folder = logFolderOf(dataFolder)
  const file = join(folder, 'countersign.log')
  try {
    checkDataFolder(dataFolder)
    makeFolder(folder)
    rotateLog(file)
    const destination = pino.destination({ dest: file, sync: true, mode: 0o600 })
    destination.on('error', () => undefined)
    return pino(
      { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
      destination,
    )
  } catch {
    return null
  }
}

export function createFileLog({
  dataFolder,
  randomBytes,
}: Pick<Deps, 'dataFolder' | 'randomBytes'>): Log {
  let opened: Logger | null | undefined
  const write = (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Record<string, unknown> = {},
  ) => {
    opened ??= openLog(dataFolder)
    opened?.[level](cleanForLog(fields), cleanText(message))
  }
  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    bug(error, context) {
      const ref = Buffer.from(randomBytes(4)).toString('hex')
      write('error', context, { ref, error })
      return ref
    },
  }
}
