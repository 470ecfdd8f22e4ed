/**
 * A million stored deliveries for measurements: generated once, stored in the temporary folder, and
 * copied for each run.
 */
import { rm } from 'node:fs/promises'
import { copyGeneratedFolder } from '../../support/generated-folder.ts'
import { fillIndex, type Target } from './acknowledging.ts'

const SEED = 7
/** `COUNT` reduces the number, to try a benchmark. */
export const COUNT = Number(process.env['COUNT'] ?? 1_000_000)

/** A generated hook whose secret is known. */
export const target: Target = {
  url: 'https://127.0.0.1:4430/h/transaction-auth-test',
  secret: `secret of transaction.auth test ${SEED}`,
}

/** Measures on a copy with a complete index, then removes it. */
export async function onMillion<Result>(
  progress: (message: string) => void,
  measure: (folder: string) => Promise<Result>,
): Promise<Result> {
  progress(`a copy of ${COUNT.toLocaleString('en')} deliveries`)
  const folder = await copyGeneratedFolder({ seed: SEED, count: COUNT, progress })
  try {
    await fillIndex(folder)
    return await measure(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
