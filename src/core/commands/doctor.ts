/** The checks of `doctor`: each reports a finding and how to fix a problem. */
import { statfs } from 'node:fs/promises'
import type { Damage } from '../store/store.ts'
import { brotliWeakness } from '../base/brotli.ts'
import { counted, deliveryCount } from '../../shared/text/english.ts'
import { type AppStatus, type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import type { AddressTest } from '../../shared/model/tunnel.ts'
import { suggestsLimit, type Retention } from '../../shared/model/retention.ts'
import { targetKind } from '../../shared/http.ts'
import type { Hook } from '../../shared/model/hook.ts'

const MB = 1_048_576
const GB = 1_024 * MB
const DAY_MS = 86_400_000

/** Free space in bytes below which the check warns. */
const LITTLE_SPACE = 500 * MB

export interface DoctorInput {
  readonly status: AppStatus
  readonly hooks: readonly Hook[]
  /** Whether nothing listens at a URL of this computer. */
  isUnreachable(url: URL): Promise<boolean>
  readonly durability: { readonly journalMode: string; readonly synchronous: number }
  readonly damage: Damage
  readonly limits: Retention
  /**
   * Time when the certificate will be renewed, in milliseconds since the epoch; null if none can be
   * read.
   */
  readonly renewalAt: number | null
  /** Result of testing the public URL; null if none is set or Countersign isn't running. */
  readonly addressTest: AddressTest | null
  readonly now: number
}

function ok(name: string, message: string): DoctorCheck {
  return { name, outcome: 'ok', message, fix: null }
}

type Problem = (name: string, message: string, fix: string) => DoctorCheck
const warning: Problem = (name, message, fix) => ({ name, outcome: 'warning', message, fix })
const failed: Problem = (name, message, fix) => ({ name, outcome: 'failed', message, fix })

/** Age of a Node that probably lacks security fixes: its line releases about monthly. */
const OLD_NODE_DAYS = 120

export async function checkRuntime(
  { status, now }: Pick<DoctorInput, 'status' | 'now'>,
  node: { readonly version: string; readonly brotli: string | undefined } = {
    version: process.versions.node,
    brotli: process.versions['brotli'],
  },
): Promise<DoctorCheck> {
  // Loaded on demand: no other command needs the table.
  const { releaseDate } = await import('../base/node-release.ts')
  const released = releaseDate(node.version)
  const days = released === null ? null : Math.floor((now - Date.parse(released)) / DAY_MS)
  const age =
    released === null || days === null
      ? 'which is newer than this Countersign'
      : `whose line was released ${counted(days, 'day')} ago (${released})`
  const runtime = `Countersign ${status.version} (${status.host}) on Node ${node.version} (${process.platform} ${process.arch}), ${age}.`
  const weakness = brotliWeakness(node.brotli)
  if (weakness !== null)
    return warning('runtime', `${runtime} ${weakness}`, 'Use Node 24.22.1, 26.12.1 or later.')
  return days !== null && days > OLD_NODE_DAYS
    ? warning('runtime', runtime, 'Install the latest Node: this one may lack security fixes.')
    : ok('runtime', runtime)
}

/** Reports a damaged database; the error's message names the file. */
export function damagedCheck(message: string): DoctorCheck {
  return failed('database', message, 'Stop Countersign, then run "countersign doctor --repair".')
}

function checkDatabase({ status, durability, damage, limits }: DoctorInput): DoctorCheck {
  const { store } = status
  if (damage.pages !== null) return damagedCheck(damage.pages)
  if (store.state === 'failing') {
    return failed(
      'database',
      store.problem ?? "Can't write to the database.",
      "Check the data folder's disk and permissions.",
    )
  }
  const isDurable = durability.journalMode === 'wal' && durability.synchronous === 2
  return isDurable
    ? ok(
        'database',
        `${deliveryCount(store.deliveries)} in ${(store.bytes / MB).toFixed(1)} MB. Acknowledged deliveries survive a power failure.${
          suggestsLimit(store, limits)
            ? ' All of them are kept: to set a limit, run "countersign settings --keep-days 30".'
            : ''
        }`,
      )
    : warning(
        'database',
        `The database runs with journal ${durability.journalMode} and synchronous ${durability.synchronous}: a power failure may lose the latest deliveries.`,
        "Put the data folder on a local disk: network file systems can't guarantee durable writes.",
      )
}

const MAX_LISTED = 20

function listProblems(problems: readonly string[]): string {
  const hiddenCount = problems.length - MAX_LISTED
  return (
    problems.slice(0, MAX_LISTED).join('; ') + (hiddenCount > 0 ? `; and ${hiddenCount} more` : '')
  )
}

function checkRows({ damage: { values, bodies } }: DoctorInput): DoctorCheck {
  if (values.length === 0 && bodies.length === 0)
    return ok('rows', 'Every stored row can be read, and every body is as it arrived.')
  const problems = [
    ...(values.length === 0
      ? []
      : [`${counted(values.length, 'stored value')} can't be read: ${listProblems(values)}.`]),
    ...(bodies.length === 0
      ? []
      : [
          `The stored body differs from the one that arrived in ${deliveryCount(bodies.length)}: ${listProblems(bodies)}.`,
        ]),
  ]
  return failed(
    'rows',
    problems.join(' '),
    'Everything else still works. "countersign doctor --repair" removes what can\'t be read and keeps the damaged file.',
  )
}

function checkSearch({ status }: DoctorInput): DoctorCheck {
  const { state, left } = status.store.search
  const deliveries = deliveryCount(left)
  switch (state) {
    case 'ready':
    // The index is open by now. Nothing is indexed while Countersign isn't running.
    case 'opening':
    case 'filling':
      if (left === 0) return ok('search', 'Every delivery is in the search index.')
      return ok(
        'search',
        status.receiver.state === 'off'
          ? `Not yet in the search index: ${deliveries}. Searches are complete but slower. "countersign serve" adds them.`
          : `The search index is catching up: ${deliveries} left. Searches are complete but slower.`,
      )
    case 'off':
      return {
        name: 'search',
        outcome: 'warning',
        message:
          'No search index: searches are correct but slow, and deliveries of the same purchase may not be linked.',
        fix: "Free some disk space or fix the data folder's permissions. The index is then rebuilt automatically.",
      }
  }
}

async function checkSpace({ status }: DoctorInput): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(status.dataFolder)
  const free = bavail * bsize
  const message = `${(free / GB).toFixed(1)} GB free on the disk of ${status.dataFolder}.`
  return free >= LITTLE_SPACE
    ? ok('disk', message)
    : warning('disk', message, 'Free some space: when the disk is full, deliveries get a 503.')
}

function checkReceiver({ status }: DoctorInput): DoctorCheck {
  const { receiver } = status
  switch (receiver.state) {
    case 'listening':
      return ok(
        'receiver',
        `Listening on ${receiver.url ?? ''}${receiver.httpUrl === null ? '' : ` and ${receiver.httpUrl}`}.`,
      )
    case 'paused':
      return warning('receiver', 'Paused: deliveries get a 503.', 'Resume capture in the window.')
    case 'failed':
      return failed(
        'receiver',
        receiver.problem ?? 'Not listening.',
        'Choose another port: "countersign serve --receiver-port 0" picks a free one.',
      )
    case 'off':
      return warning(
        'receiver',
        "Countersign isn't running on this data folder.",
        'Start it with "countersign serve".',
      )
  }
}

function checkPublicAddress({ status: { receiver }, addressTest }: DoctorInput): DoctorCheck {
  if (receiver.publicUrl === null)
    return ok(
      PUBLIC_URL_CHECK,
      'Not set: the receiver is reachable from this computer only. The sandbox needs no public URL.',
    )
  if (addressTest === null) {
    return warning(
      PUBLIC_URL_CHECK,
      `${receiver.publicUrl} wasn't tested: Countersign isn't running on this data folder.`,
      'Start it with "countersign serve".',
    )
  }
  const { outcome, message } = addressTest
  if (outcome === 'reached') return ok(PUBLIC_URL_CHECK, message)
  return {
    name: PUBLIC_URL_CHECK,
    outcome: outcome === 'altered' ? 'warning' : 'failed',
    message,
    fix: 'Check the tunnel or proxy, then run "countersign tunnel test".',
  }
}

function checkCertificate({ status, renewalAt, now }: DoctorInput): DoctorCheck {
  if (renewalAt === null) {
    return warning(
      'certificate',
      'No certificate yet.',
      'The first "countersign serve" creates it.',
    )
  }
  const days = Math.floor((renewalAt - now) / DAY_MS)
  // A certificate can come due while Countersign isn't running.
  const when =
    days < 0
      ? 'at the next start'
      : days === 0
        ? 'within a day'
        : days === 1
          ? 'in 1 day'
          : `in ${days} days`
  return ok('certificate', `Renews automatically ${when}. Senders trust it with ${status.caFile}.`)
}

function checkVault({ status }: DoctorInput): DoctorCheck {
  const { vault } = status
  return vault.protected
    ? ok('secrets', vault.message)
    : warning(
        'secrets',
        vault.message,
        'Unlock the system keyring, or on Linux install one, and start Countersign again. It then encrypts the secrets again.',
      )
}

/**
 * Finds active hooks with a local URL that nothing listens on. While the receiver is off, its own
 * paths are skipped.
 */
async function unheardHooks({
  hooks,
  status: { receiver },
  isUnreachable,
}: DoctorInput): Promise<Hook[]> {
  const local = hooks.filter(
    ({ status, url }) =>
      status === 'active' &&
      targetKind(url, receiver.url) === 'here' &&
      !(receiver.state === 'off' && new URL(url).pathname.startsWith('/h/')),
  )
  const unreachable = new Map<string, Promise<boolean>>()
  for (const { url } of local) {
    const { host } = new URL(url)
    if (!unreachable.has(host)) unreachable.set(host, isUnreachable(new URL(url)))
  }
  const silent = new Map(
    await Promise.all(
      [...unreachable].map(async ([host, answer]) => [host, await answer] as const),
    ),
  )
  return local.filter(({ url }) => silent.get(new URL(url).host) === true)
}

async function checkHooks(input: DoctorInput): Promise<DoctorCheck> {
  const hooks = input.hooks.filter(({ status }) => status === 'active' || status === 'unconfirmed')
  const locked = hooks.filter((hook) => hook.secretHint === null)
  if (locked.length > 0) {
    return warning(
      'hooks',
      `The secrets of ${locked.length} of ${counted(hooks.length, 'hook')} are missing or can't be decrypted here.`,
      'Add them with "countersign hooks rotate". If they were added before, unlock the system keyring and start Countersign again.',
    )
  }
  const unheard = await unheardHooks(input)
  const [first] = unheard
  if (first !== undefined) {
    const otherCount = unheard.length - 1
    return warning(
      'hooks',
      `Nothing listens on ${new URL(first.url).host}, the host of the active ${first.event} hook${otherCount === 0 ? '' : ` and ${otherCount} more on local ports`}.`,
      'Start that server, or change the URL with "countersign hooks update HOOK --url URL".',
    )
  }
  if (hooks.length > 0)
    return ok('hooks', `${counted(hooks.length, 'active hook')}, each with its secret.`)
  return warning(
    'hooks',
    "No active hooks, so new deliveries can't be verified.",
    'Register one under Hooks or with "countersign hooks add". If it was registered elsewhere, import it.',
  )
}

export async function runDoctor(input: DoctorInput): Promise<DoctorCheck[]> {
  return [
    await checkRuntime(input),
    checkDatabase(input),
    checkRows(input),
    checkSearch(input),
    await checkSpace(input),
    checkReceiver(input),
    checkPublicAddress(input),
    checkCertificate(input),
    checkVault(input),
    await checkHooks(input),
  ]
}
