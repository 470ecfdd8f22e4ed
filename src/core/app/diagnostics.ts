/**
 * The diagnostics file of a bug report. It contains no captured data and no URL of a hook or
 * handler, and secrets are masked.
 */
import { statSync, openSync, readSync, closeSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../shared/model/settings.ts'
import { type AppStatus, type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import { logFolderOf, homeFolder } from '../base/data-folder.ts'
import { cleanForLog } from './file-log.ts'

const LOG_TAIL_BYTES = 262_144

/** Returns the latest lines, oldest first. */
function readLogTail(dataFolder: string): string[] {
  let file: number | null = null
  try {
    const path = join(logFolderOf(dataFolder), 'countersign.log')
    const { size } = statSync(path)
    const bytes = Buffer.alloc(Math.min(size, LOG_TAIL_BYTES))
    file = openSync(path, 'r')
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8', 0, read).split('\n')
    // The first line is cut unless the whole file was read.
    return lines.slice(size > LOG_TAIL_BYTES ? 1 : 0).filter((line) => line !== '')
  } catch {
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
          .filter(([, text]) => text),
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
