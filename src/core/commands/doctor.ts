/** What `doctor` looks at: each check says what it found, and what to do where something is amiss. */
import { statfs } from 'node:fs/promises'
import { counted, deliveryCount } from '../../shared/text/counted.ts'
import type { AppStatus, DoctorCheck } from '../../shared/model/status.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { AddressTest } from '../../shared/model/tunnel.ts'

/** Under this much free space a warning is given, in bytes. */
const LITTLE_SPACE = 500 * 1_048_576

export interface DoctorInput {
  readonly status: AppStatus
  readonly hooks: readonly Hook[]
  readonly durability: { readonly journalMode: string; readonly synchronous: number }
  /** What is wrong with the database's pages; null if they are sound. */
  readonly damage: string | null
  /** When the present certificate is to be renewed, in milliseconds since the epoch; null where none can be read. */
  readonly renewalAt: number | null
  /** What a test of the public address has found just now; null where there is none, or nothing serves it. */
  readonly addressTest: AddressTest | null
  readonly now: number
}

function ok(name: string, message: string): DoctorCheck {
  return { name, outcome: 'ok', message, fix: null }
}

function checkRuntime({ status }: DoctorInput): DoctorCheck {
  return ok(
    'runtime',
    `Countersign ${status.version} as ${status.host}, on Node ${process.versions.node} (${process.platform} ${process.arch}).`,
  )
}

/** The check that reports a damaged database; the error's message names the file. */
export function damagedCheck(message: string): DoctorCheck {
  return {
    name: 'database',
    outcome: 'failed',
    message,
    fix: 'See docs/reliability.md, "Repair a damaged database".',
  }
}

function checkDatabase({ status, durability, damage }: DoctorInput): DoctorCheck {
  const { store } = status
  if (damage !== null) return damagedCheck(damage)
  if (store.state === 'failing') {
    return {
      name: 'database',
      outcome: 'failed',
      message: store.problem ?? 'The database cannot be written.',
      fix: 'Look at the disk that the data folder lies on, and at the permissions there.',
    }
  }
  const isDurable = durability.journalMode === 'wal' && durability.synchronous === 2
  return isDurable
    ? ok(
        'database',
        `${deliveryCount(store.deliveries)} in ${(store.bytes / 1_048_576).toFixed(1)} MB; every acknowledged delivery survives a power cut.`,
      )
    : {
        name: 'database',
        outcome: 'warning',
        message: `The database runs with journal ${durability.journalMode} and synchronous ${durability.synchronous}: a power cut may lose the last deliveries.`,
        fix: 'Put the data folder on a local disk: network file systems cannot give this guarantee.',
      }
}

function checkSearch({ status }: DoctorInput): DoctorCheck {
  const { state, left } = status.store.search
  const deliveries = left === 1 ? '1 delivery' : `${left.toLocaleString('en')} deliveries`
  switch (state) {
    case 'ready':
      return ok('search', 'Every delivery is in the search index.')
    case 'opening':
      return ok('search', 'The search index is being opened.')
    case 'filling':
      return ok('search', `The search index is catching up: ${deliveries} left. Searches find them too, more slowly.`)
    case 'checking':
      return ok('search', 'The search index is being checked after a stop that was not in order. Searches are right meanwhile.')
    case 'off':
      return {
        name: 'search',
        outcome: 'warning',
        message: 'There is no search index: searches are right and slow, and the deliveries of one purchase may not be found.',
        fix: 'Free some disk space or repair the permissions of the data folder; the index is made by itself.',
      }
  }
}

async function checkSpace({ status }: DoctorInput): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(status.dataFolder)
  const free = bavail * bsize
  const message = `${(free / 1_073_741_824).toFixed(1)} GB free where the data folder lies (${status.dataFolder}).`
  return free >= LITTLE_SPACE
    ? ok('disk', message)
    : { name: 'disk', outcome: 'warning', message, fix: 'Free some space: with none left, deliveries are answered 503.' }
}

function checkReceiver({ status }: DoctorInput): DoctorCheck {
  const { receiver } = status
  switch (receiver.state) {
    case 'listening':
      return ok('receiver', `Listening on ${receiver.url ?? ''}${receiver.httpUrl === null ? '' : ` and ${receiver.httpUrl}`}.`)
    case 'paused':
      return {
        name: 'receiver',
        outcome: 'warning',
        message: 'Paused: deliveries are answered 503.',
        fix: 'Resume capture in the window.',
      }
    case 'failed':
      return {
        name: 'receiver',
        outcome: 'failed',
        message: receiver.problem ?? 'It does not listen.',
        fix: 'Choose another port: "countersign serve --receiver-port 0" picks a free one.',
      }
    case 'off':
      return {
        name: 'receiver',
        outcome: 'warning',
        message: 'No instance serves this data folder.',
        fix: 'Start one with "countersign serve".',
      }
  }
}

function checkPublicAddress({ status: { receiver }, addressTest }: DoctorInput): DoctorCheck {
  if (receiver.publicUrl === null)
    return ok('public address', 'None is set: the receiver is reached from this machine alone, which is enough for the sandbox.')
  if (addressTest === null) {
    return {
      name: 'public address',
      outcome: 'warning',
      message: `${receiver.publicUrl} was not tested: nothing serves this data folder.`,
      fix: 'Start the service with "countersign serve".',
    }
  }
  const { outcome, message } = addressTest
  if (outcome === 'reached') return ok('public address', message)
  return {
    name: 'public address',
    outcome: outcome === 'altered' ? 'warning' : 'failed',
    message,
    fix: 'See docs/public-url.md; "countersign tunnel test" tests it again.',
  }
}

function checkCertificate({ status, renewalAt, now }: DoctorInput): DoctorCheck {
  if (renewalAt === null) {
    return {
      name: 'certificate',
      outcome: 'warning',
      message: 'There is no certificate yet.',
      fix: 'It is made by the first "countersign serve".',
    }
  }
  const days = Math.floor((renewalAt - now) / 86_400_000)
  // While nothing serves the folder, a certificate may come due.
  const when = days < 0 ? 'at the next start' : days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`
  return ok('certificate', `Renewed by itself ${when}. Senders trust it with ${status.caFile}.`)
}

function checkVault({ status }: DoctorInput): DoctorCheck {
  const { vault } = status
  return vault.protected
    ? ok('secrets', vault.message)
    : {
        name: 'secrets',
        outcome: 'warning',
        message: vault.message,
        fix: 'The desktop app keeps secrets in the keychain of the system, where it has one.',
      }
}

function checkHooks({ hooks }: DoctorInput): DoctorCheck {
  const locked = hooks.filter((hook) => hook.secretHint === null)
  if (locked.length > 0) {
    return {
      name: 'hooks',
      outcome: 'warning',
      message: `The secrets of ${locked.length} of ${counted(hooks.length, 'hook')} cannot be opened by this host.`,
      fix: 'Use the instance that stored them, or import the hooks again with their secrets.',
    }
  }
  if (hooks.length > 0) return ok('hooks', `${hooks.length} known, each with its secret.`)
  return {
    name: 'hooks',
    outcome: 'warning',
    message: 'No hook is known, so no signature can be proved.',
    fix: 'Register one in the window, under Hooks, or with "countersign hooks add"; one made elsewhere is imported.',
  }
}

/** Runs every check, in the order in which they are read. */
export async function runDoctor(input: DoctorInput): Promise<DoctorCheck[]> {
  return [
    checkRuntime(input),
    checkDatabase(input),
    checkSearch(input),
    await checkSpace(input),
    checkReceiver(input),
    checkPublicAddress(input),
    checkCertificate(input),
    checkVault(input),
    checkHooks(input),
  ]
}
