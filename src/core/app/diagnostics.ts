/**
 * The diagnostics file: what a bug report needs, and nothing that must stay private. It contains no captured data, no URL of a hook
 * or handler, and no secret: every known secret is masked wherever it occurs, and likely ones by their form.
 */
import { homedir, release, totalmem } from 'node:os'
import { type AppStatus, type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import type { Settings } from '../../shared/model/settings.ts'
import { cleanForLog, readLogTail } from './file-log.ts'

interface DiagnosticsParts {
  readonly status: AppStatus
  readonly checks: readonly DoctorCheck[]
  /** Null while the database can't be read. */
  readonly stored: {
    readonly settings: Settings
    readonly hooks: number
    readonly environments: number
    readonly targets: Readonly<Record<string, number>>
    readonly tunnel: string
  } | null
  readonly now: number
  /** Masks every secret that this installation knows. */
  mask(text: string): string
}

/** The file's name and text. */
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
  const withoutHome = (text: string) => text.replaceAll(homedir(), '~')
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
