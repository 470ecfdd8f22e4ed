/** `countersign backup`: copies the database into a file, also while Countersign runs. */
import { AppError } from '../../shared/contract/errors.ts'
import { byteSize, deliveryCount } from '../../shared/text/english.ts'
import { defineCommand } from '../command.ts'
import { watchCopy } from '../copy-watch.ts'
import { argument, flagOption, readFilled } from '../options/input.ts'
import { isStream, refuseExisting } from '../output-file.ts'
import { NOTHING_CAPTURED } from '../session.ts'

export const add = defineCommand({
  description:
    "Back up the data folder's database, also while Countersign runs. Secrets stay encrypted: their key isn't in the backup.",
  examples: [['Back up everything', 'backup countersign-backup.db']],
  args: { file: argument('<file>', 'new file', readFilled) },
  options: { force: flagOption('replace an existing file') },
  async run({ file, force }, run) {
    const folder = run.dataFolder()
    const { hasDatabase } = await import('../../core/store/database.ts')
    if (!hasDatabase(folder)) await run.needData(NOTHING_CAPTURED)
    if (await isStream(file))
      throw new AppError('UNSUPPORTED', `${file} isn't a plain file. Choose another file.`)
    await refuseExisting(file, force)
    const { backupDatabase } = await import('../../core/store/backup.ts')
    const { bytes, deliveries } = await watchCopy(
      run,
      `Backup stopped. ${file} was not written.`,
      (watch) => backupDatabase(folder, file, watch),
    )
    run.output.result(
      { file, bytes, deliveries },
      `Backed up ${deliveryCount(deliveries)} (${byteSize(bytes)}) to ${file}.`,
    )
  },
})
