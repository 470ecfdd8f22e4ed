/**
 * Trusts the system's CA certificates: the desktop app ignores `NODE_EXTRA_CA_CERTS` (a fuse of its
 * binary).
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Log } from '../../base/deps.ts'
import { startJobThread } from '../../base/threads/job-thread.ts'
import { withTimeLimit } from '../../base/async.ts'
import type { AuthorityJobs } from './system-authorities-thread.ts'

/** Time to wait in milliseconds, because a large keychain takes long to read. */
const PATIENCE_MS = 5_000

/** Reads in a thread, because macOS takes up to seconds. */
export async function readSystemAuthorities(entry: URL): Promise<readonly string[]> {
  const thread = await startJobThread<AuthorityJobs>(entry, null)
  try {
    return await thread.run('read', null)
  } finally {
    await thread.close()
  }
}

/** Trusts the PEM certificates, even if they arrive after the wait. Never rejects. */
export async function trustSystemAuthorities(
  read: () => Promise<readonly string[]>,
  log: Pick<Log, 'warn'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const trusting = read().then(
    (system) =>
      setDefaultCACertificates([...new Set([...getCACertificates('default'), ...system])]),
    (error: unknown) =>
      log.warn(
        "Couldn't read the system's CA certificates, so connections that need one of them fail.",
        {
          reason: (error as Error).message,
        },
      ),
  )
  await withTimeLimit(patienceMs, trusting, () => undefined)
}
