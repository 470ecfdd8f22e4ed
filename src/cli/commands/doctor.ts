/** `countersign doctor`: checks the setup, repairs a damaged database, or shrinks one. Warnings don't count as failures. */
import {
  type Command,
  dataFolderOf,
  type CommandContext,
  type DataOption,
  EXIT,
  withExistingData,
} from '../context.ts'
import { byteSize } from '../../shared/text/counted.ts'
import { printableText } from '../../shared/text/printable.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { makeDataFolder } from '../../core/base/data-folder.ts'
import type { RepairReport } from '../../core/store/repair/repair.ts'
import { type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import { levels } from '../../shared/model/outcomes.ts'
import { createColumns, outcomeCell } from '../output.ts'

interface DoctorOptions extends DataOption {
  readonly json?: true
  readonly repair?: true
  readonly vacuum?: true
}

/** Scripts read the names of checks, so those stay; the table shows the current word. */
const shownNames: Readonly<Record<string, string>> = { [PUBLIC_URL_CHECK]: 'public URL' }

/** The checks of an unused data folder, which this must not create. */
function checksOfNothing(context: CommandContext, dataFolder: string): [DoctorCheck, DoctorCheck] {
  return [
    {
      name: 'runtime',
      outcome: 'ok',
      message: `Countersign ${context.version} on Node ${process.versions.node} (${process.platform} ${process.arch}).`,
      fix: null,
    },
    {
      name: 'database',
      outcome: 'warning',
      message: `${dataFolder} has no database yet.`,
      fix: 'Run "countersign serve" to create it.',
    },
  ]
}

/** The checks, from the running Countersign or this process. If the database can't be opened, those that don't need it. */
async function runChecks(
  context: CommandContext,
  dataFolder: string,
  options: DoctorOptions,
): Promise<DoctorCheck[]> {
  const [runtime, noDatabase] = checksOfNothing(context, dataFolder)
  try {
    const answer = await withExistingData(context, options, null, ({ client }) =>
      client.call('doctor.run', {}),
    )
    return answer?.checks ?? [runtime, noDatabase]
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DATABASE_DAMAGED') throw error
    const { damagedCheck } = await import('../../core/commands/doctor.ts')
    return [runtime, damagedCheck(error.message)]
  }
}

const number = (value: number) => value.toLocaleString('en')

/** The loss in one part: `3`, `3 and 5 bodies`, `5 bodies`. Deliveries can be recovered without their body. */
function lossOf(
  { name, lost }: RepairReport['parts'][number],
  { bodiesLost }: RepairReport,
): string {
  const rows = lost === null ? 'an unknown number' : number(lost)
  if (name !== 'deliveries' || bodiesLost === 0) return rows
  const bodies = bodiesLost === 1 ? '1 body' : `${number(bodiesLost)} bodies`
  return lost === 0 ? bodies : `${rows} and ${bodies}`
}

/** One line per recovered or lost part. */
function linesOfReport(report: RepairReport): string[] {
  const { outcome, file, setAside, parts, lostDeliveries, lostBodies } = report
  if (outcome === 'sound') return [`No damage found in ${file}. Nothing changed.`]
  return [
    `Repaired ${file}.`,
    `The damaged file is now ${setAside ?? ''}.`,
    ...parts.map(
      (part) => `${part.name}: ${number(part.recovered)} recovered, ${lossOf(part, report)} lost`,
    ),
    ...(lostDeliveries.length === 0 ? [] : ['Lost deliveries:', ...lostDeliveries]),
    ...(lostBodies.length === 0 ? [] : ['Deliveries without their body:', ...lostBodies]),
  ].map(printableText)
}

export function add(command: Command, context: CommandContext): void {
  command
    .description('Check your setup.')
    .exitsWith(1, 'any check fails')
    .example('Check your setup', 'doctor')
    .example('Repair a damaged database', 'doctor --repair')
    .example('Free the disk space of deleted deliveries', 'doctor --vacuum')
    .option(
      '--repair',
      'recover a damaged database into a new file and keep the damaged one (Ctrl+C cancels without changes)',
    )
    .option('--vacuum', 'rewrite the database without free space (stop Countersign first)')
    .option('--json', 'print a JSON object')
    .run(async (options: DoctorOptions) => {
      const { output } = context
      const dataFolder = dataFolderOf(context, options)
      const repair = options.repair === true ? await repairFolder(context, dataFolder) : null
      const vacuum = options.vacuum === true ? await vacuumFolder(dataFolder) : null
      const checks = await runChecks(context, dataFolder, options)
      if (options.json === true) {
        output.json({
          checks,
          ...(repair === null ? {} : { repair }),
          ...(vacuum === null ? {} : { vacuum }),
        })
      } else {
        output.lines(repair === null ? [] : linesOfReport(repair))
        if (vacuum !== null)
          output.line(
            `Freed ${byteSize(vacuum.freed)}. The database is now ${byteSize(vacuum.database)}.`,
          )
        const columns = createColumns(output)
        const rows = checks.map(({ name, outcome, message, fix }) => [
          outcomeCell(levels[outcome], outcome),
          { text: shownNames[name] ?? name },
          { text: fix === null ? message : `${message} ${fix}` },
        ])
        output.lines(columns(rows))
      }
      const isDone = checks.every(({ outcome }) => outcome !== 'failed')
      context.exit(isDone ? EXIT.done : EXIT.no)
    })
}

/**
 * Takes a folder whose database no other process may have open. Null if it has no database. Throws `ALREADY_RUNNING` with `advice`
 * while Countersign runs on it, `STORE_UNAVAILABLE` if it is read-only.
 */
async function lockDatabase(
  dataFolder: string,
  advice: string,
): Promise<{ release(): void } | null> {
  const { hasDatabase, lockAlone } = await import('../../core/store/open.ts')
  if (!hasDatabase(dataFolder)) return null
  makeDataFolder(dataFolder)
  const lock = lockAlone(dataFolder)
  if (lock.isServed)
    throw new AppError('ALREADY_RUNNING', `Countersign is running on ${dataFolder}. ${advice}`)
  return lock
}

/** Rewrites the database without its free space. Null if the folder has no database. */
async function vacuumFolder(
  dataFolder: string,
): Promise<{ readonly freed: number; readonly database: number } | null> {
  const lock = await lockDatabase(
    dataFolder,
    'Stop it, then run "countersign doctor --vacuum" again.',
  )
  if (lock === null) return null
  try {
    return (await import('../../core/store/storage-repo.ts')).vacuumFile(dataFolder)
  } finally {
    lock.release()
  }
}

/** Repairs the database and prints progress to stderr. Null if the folder has no database. */
async function repairFolder(
  { output }: CommandContext,
  dataFolder: string,
): Promise<RepairReport | null> {
  const { repairDatabase } = await import('../../core/store/repair/repair.ts')
  const lock = await lockDatabase(
    dataFolder,
    'Stop it, then run "countersign doctor --repair" again.',
  )
  if (lock === null) return null
  try {
    return repairDatabase(dataFolder, (rows) => {
      output.note(`${number(rows)} rows read…`)
    })
  } finally {
    lock.release()
  }
}
