/** Watches a copy of the database: progress on stderr, and Ctrl+C cancels it. */
import type { CopyWatch } from '../core/store/database-copy.ts'
import { AppError } from '../shared/contract/errors.ts'
import { byteSize } from '../shared/text/english.ts'
import { withStop } from './lifetime.ts'
import { createProgress } from './print.ts'
import type { CommandRun } from './session.ts'

const MIN_BYTES_TO_ANNOUNCE = 500_000_000

/** Runs a copy. Rejects with `CANCELLED` and the message if it is stopped. */
export async function watchCopy<Result>(
  run: Pick<CommandRun, 'env' | 'output' | 'now'>,
  stoppedMessage: string,
  copy: (watch: CopyWatch) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(run)
  let bytes = 0
  return withStop(run.env, async (signal) => {
    try {
      return await copy({
        signal,
        onProgress(done, total) {
          bytes = total
          progress(() => `${byteSize(done)} of ${byteSize(total)} copied`)
        },
        onChecking() {
          if (bytes > MIN_BYTES_TO_ANNOUNCE) run.output.note('Checking the copy…')
        },
      })
    } catch (error) {
      if (error !== signal.reason) throw error
      throw new AppError('CANCELLED', stoppedMessage)
    }
  })
}
