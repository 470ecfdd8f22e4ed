/**
 * `countersign doctor`: checks the setup, repairs a damaged database, or shrinks one. Warnings
 * don't count as failures.
 */
import { byteSize } from '../../shared/text/english.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RepairReport } from '../../core/store/repair.ts'
import { type DoctorCheck, PUBLIC_URL_CHECK } from '../../shared/model/status.ts'
import { doctorOutcomes } from '../../shared/model/service-outcomes.ts'
import { withClosedDatabase } from '../closed-database.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../context.ts'
import { flagOption } from '../options/input.ts'
import { outcomeCell } from '../print.ts'
import type { CommandRun } from '../session.ts'

/** Names of checks in the table. Scripts depend on the original names. */
const shownNames: Readonly<Record<string, string>> = { [PUBLIC_URL_CHECK]: 'public URL' }

/** Runs the checks in the running Countersign or this process, only some without a database. */
async function runChecks({ version, dataFolder, findData }: CommandRun): Promise<DoctorCheck[]> {
  const runtime: DoctorCheck = {
    name: 'runtime',
    outcome: 'ok',
    message: `Countersign ${version} on Node ${process.versions.node} (${process.platform} ${process.arch}).`,
    fix: null,
  }
  try {
    const session = await findData(null)
    if (session !== null) return (await session.client.call('doctor.run', {})).checks
    const unused: DoctorCheck = {
      name: 'database',
      outcome: 'warning',
      message: `${dataFolder()} has no database yet.`,
      fix: 'Run "countersign serve" to create it.',
    }
    return [runtime, unused]
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DATABASE_DAMAGED') throw error
    const { damagedCheck } = await import('../../core/commands/doctor.ts')
    return [runtime, damagedCheck(error.message)]
  }
}

const number = (value: number) => value.toLocaleString('en')

/**
 * Describes a part's loss, such as `3 and 5 bodies`. Deliveries can be recovered without their
 * body.
 */
function lossOf(
  { name, lost }: RepairReport['parts'][number],
  { bodiesLost }: RepairReport,
): string {
  const rows = lost === null ? 'an unknown number' : number(lost)
  if (name !== 'deliveries' || bodiesLost === 0) return rows
  const bodies = bodiesLost === 1 ? '1 body' : `${number(bodiesLost)} bodies`
  return lost === 0 ? bodies : `${rows} and ${bodies}`
}

function linesOfReport(report: RepairReport): string[] {
  const { outcome, file, setAside, parts, damagedValues, lostDeliveries, lostBodies } = report
  if (outcome === 'sound') return [`No damage found in ${file}. Nothing changed.`]
  return [
    `Repaired ${file}.`,
    `The damaged file is now ${setAside ?? ''}.`,
    ...parts.map(
      (part) => `${part.name}: ${number(part.recovered)} recovered, ${lossOf(part, report)} lost`,
    ),
    ...(damagedValues.length === 0 ? [] : ["Values that couldn't be read:", ...damagedValues]),
    ...(lostDeliveries.length === 0 ? [] : ['Lost deliveries:', ...lostDeliveries]),
    ...(lostBodies.length === 0 ? [] : ['Deliveries without their body:', ...lostBodies]),
  ]
}

export const add = defineCommand({
  description: 'Check your setup.',
  exits: { 1: 'any check fails' },
  examples: [
    ['Check your setup', 'doctor'],
    ['Repair a damaged database', 'doctor --repair'],
    ['Free the disk space of deleted deliveries', 'doctor --vacuum'],
  ],
  options: {
    repair: flagOption(
      'recover a damaged database into a new file and keep the damaged one (Ctrl+C cancels without changes)',
    ),
    vacuum: flagOption('rewrite the database without free space (stop Countersign first)'),
  },
  async run(input, run) {
    const { output } = run
    const repair = input.repair
      ? await onDatabase(run, 'countersign doctor --repair', async (folder) => {
          const { repairDatabase } = await import('../../core/store/repair.ts')
          return repairDatabase(folder, (rows) => output.note(`${number(rows)} rows read…`))
        })
      : null
    const vacuum = input.vacuum
      ? await onDatabase(run, 'countersign doctor --vacuum', async (folder) =>
          (await import('../../core/store/storage-space.ts')).vacuumFile(folder),
        )
      : null
    const checks = await runChecks(run)
    const result = {
      checks,
      ...(repair === null ? {} : { repair }),
      ...(vacuum === null ? {} : { vacuum }),
    }
    output.result(result, () => {
      output.lines(repair === null ? [] : linesOfReport(repair))
      if (vacuum !== null)
        output.line(
          `Freed ${byteSize(vacuum.freed)}. The database is now ${byteSize(vacuum.database)}.`,
        )
      const rows = checks.map(({ name, outcome, message, fix }) => [
        outcomeCell(doctorOutcomes[outcome], outcome),
        shownNames[name] ?? name,
        fix === null ? message : `${message} ${fix}`,
      ])
      output.table(rows)
    })
    return checks.every(({ outcome }) => outcome !== 'failed') ? EXIT.done : EXIT.negative
  },
})

/** Works on the closed database; resolves with null without one. */
async function onDatabase<T>(
  run: CommandRun,
  command: string,
  work: (folder: string) => Promise<T>,
): Promise<T | null> {
  const { hasDatabase } = await import('../../core/store/database.ts')
  return hasDatabase(run.dataFolder()) ? withClosedDatabase(run, command, work) : null
}
