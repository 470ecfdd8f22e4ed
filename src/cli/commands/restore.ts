/** `countersign restore`: replaces the database by a backup, and lists secrets to enter again. */
import { stat } from 'node:fs/promises'
import type { UnreadableSecret } from '../../core/hooks/unreadable-secrets.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { byteSize, counted, deliveryCount } from '../../shared/text/english.ts'
import { withClosedDatabase } from '../closed-database.ts'
import { defineCommand } from '../command.ts'
import { watchCopy } from '../copy-watch.ts'
import { argument, readFilled } from '../options/input.ts'
import type { CommandRun } from '../session.ts'

/** Finds secrets of a closed database that this computer can't decrypt. */
async function findUnreadable(
  { build, version }: CommandRun,
  folder: string,
): Promise<UnreadableSecret[]> {
  const [{ createNodeDeps }, { createVault }, { findUnreadableSecrets }, store, seals] =
    await Promise.all([
      import('../../loopback/node-deps.ts'),
      import('../../core/hooks/vault.ts'),
      import('../../core/hooks/unreadable-secrets.ts'),
      import('../../core/store/open.ts'),
      import('../../core/store/sealed-values.ts'),
    ])
  const { databaseFileOf } = await import('../../core/store/database.ts')
  const db = store.openForReading(databaseFileOf(folder))
  try {
    const stored = seals.readForeignSeals(db, '')
    if (stored.length === 0) return []
    const deps = createNodeDeps({ version, host: 'command', dataFolder: folder, workers: build })
    return await findUnreadableSecrets(stored, createVault(await deps.secretBackends(folder)))
  } finally {
    db.close()
  }
}

export const add = defineCommand({
  description:
    'Replace the database by a backup. Stop Countersign first. The old database stays in the data folder under another name.',
  examples: [['Restore a backup', 'restore countersign-backup.db']],
  args: { file: argument('<file>', 'file that "backup" wrote', readFilled) },
  async run({ file }, run) {
    if (!(await stat(file)).isFile())
      throw new AppError('UNSUPPORTED', `${file} isn't a plain file. Choose another file.`)
    const { restoreDatabase } = await import('../../core/store/restore.ts')
    const result = await withClosedDatabase(run, `countersign restore ${file}`, async (folder) => {
      const restored = await watchCopy(run, 'Restore stopped. Nothing was changed.', (watch) =>
        restoreDatabase(folder, file, watch),
      )
      return { ...restored, unreadable: await findUnreadable(run, folder) }
    })
    run.output.result(result, () => {
      const { bytes, deliveries, setAside, unreadable } = result
      run.output.line(`Restored ${deliveryCount(deliveries)} (${byteSize(bytes)}) from ${file}.`)
      if (setAside !== null) run.output.line(`The old database is now ${setAside}.`)
      if (unreadable.length === 0) return
      run.output.line(
        `This computer can't decrypt ${counted(unreadable.length, 'stored secret')}. Enter them again:`,
      )
      for (const { secret, fix } of unreadable) run.output.line(`${secret}: ${fix}`)
    })
  },
})
