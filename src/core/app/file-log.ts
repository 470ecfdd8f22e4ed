/**
 * The log of both hosts: `countersign.log` in the log folder, one JSON object per line, readable
 * only by its owner. Created with the first entry, so that a command that only reads leaves no
 * file. Likely secrets are masked and control characters escaped: logs are read in a terminal.
 */
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import type { Settings } from '../../shared/model/settings.ts'
import { type AppStatus, type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import { MASK } from '../../shared/text/masked.ts'
import type { Deps, Log } from '../base/deps.ts'
import { checkDataFolder } from '../base/check-folder.ts'
import { homeFolder, logFolderOf, makeFolder } from '../base/data-folder.ts'
import { printableText } from '../../shared/text/printable.ts'

/** A log of this size, in bytes, is rotated at the next start; one older log is kept. */
const LARGEST_LOG = 5 * 1_048_576
const LONGEST_TEXT = 8_000
const DEEPEST = 6

const secretNames =
  /secret|token|ticket|password|authori[sz]ation|authentication|cookie|signature|credential|(^|[-_])key$|apikey/i

/** Recognizable secrets within a text: in a URL, in a header, and by the prefix of secret keys. */
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
  // A stack keeps its lines.
  return masked.split('\n').map(printableText).join('\n')
}

/** The value without secrets and control characters; too deeply nested or non-data values become a note. */
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

function setAside(file: string): void {
  try {
    if (statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`)
  } catch {
    // No log exists yet.
  }
}

/** Opens the log; null if that isn't possible. Logging must never make anything fail. */
function openLog(dataFolder: string): Logger | null {
  const folder = logFolderOf(dataFolder)
  const file = join(folder, 'countersign.log')
  try {
    checkDataFolder(dataFolder)
    makeFolder(folder)
    setAside(file)
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

// The diagnostics file: what a bug report needs, and nothing that must stay private. It contains no captured data, no URL of a hook
// or handler, and no secret: every known secret is masked wherever it occurs, and likely ones by their form.

/** Bytes of the log in a diagnostics file. */
const TAIL = 262_144

/** The latest lines of the log, oldest first; empty if there is none. */
function readLogTail(dataFolder: string): string[] {
  let file: number | null = null
  try {
    const path = join(logFolderOf(dataFolder), 'countersign.log')
    const { size } = statSync(path)
    const bytes = Buffer.alloc(Math.min(size, TAIL))
    file = openSync(path, 'r')
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8', 0, read).split('\n')
    // The first line is cut unless the whole file was read.
    return lines.slice(size > TAIL ? 1 : 0).filter((line) => line !== '')
  } catch {
    // Nothing was logged, or the log can't be read.
    return []
  } finally {
    if (file !== null) closeSync(file)
  }
}

interface DiagnosticsParts {
  readonly status: AppStatus
  readonly checks: readonly DoctorCheck[]
  readonly stored: {
    readonly settings: Settings
    readonly hooks: number
    readonly environments: number
    readonly targets: Readonly<Record<string, number>>
    readonly tunnel: string
  }
  readonly now: number
  /** Masks every secret that this installation knows. */
  mask(text: string): string
}

export function writeDiagnostics(parts: DiagnosticsParts): { name: string; text: string } {
  const { status, checks, stored, now, mask } = parts
  const at = new Date(now).toISOString()
  const { version, host, receiver, store, vault } = status
  const content = {
    at,
    version,
    host,
    system: {
      platform: process.platform,
      arch: process.arch,
      release: release(),
      memoryMiB: Math.round(totalmem() / 1_048_576),
      versions: Object.fromEntries(
        ['electron', 'chrome', 'node', 'v8']
          .map((name) => [name, process.versions[name]] as const)
          .filter(([, is]) => is),
      ),
      uptimeSeconds: Math.round(process.uptime()),
      memoryUsedMiB: Math.round(process.memoryUsage.rss() / 1_048_576),
    },
    dataFolder: status.dataFolder,
    receiver: {
      state: receiver.state,
      problem: receiver.problem,
      hasPublicUrl: receiver.publicUrl !== null,
    },
    sandbox: status.sandbox !== null,
    store,
    vault,
    // The public URL is in the check's message.
    checks: checks.map((check) =>
      check.name === PUBLIC_URL_CHECK ? { name: check.name, outcome: check.outcome } : check,
    ),
    stored,
    log: readLogTail(status.dataFolder),
  }
  // The paths of a computer contain its user's name.
  const withoutHome = (text: string) => text.replaceAll(homeFolder() || '~', '~')
  const text = JSON.stringify(
    content,
    (_name, value: unknown) =>
      typeof value === 'string' ? cleanForLog(withoutHome(value)) : value,
    2,
  )
  return {
    name: `countersign-diagnostics-${at.slice(0, 16).replace(':', '-')}.json`,
    text: mask(text),
  }
}
