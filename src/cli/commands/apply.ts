/** `countersign apply`: brings the data folder to what the setup file says. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { setupCommands } from '../../shared/contract/nouns/setup.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  deletesDeliveries,
  isChangedEntry,
  setupChangeText,
  type SetupEntry,
  type SetupPlan,
  type SetupSource,
} from '../../shared/model/setup.ts'
import { SETUP_FILE } from '../../shared/model/setup-file.ts'
import { counted, listed } from '../../shared/text/english.ts'
import { Questions } from '../ask.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError, type ExitCode } from '../context.ts'
import { optionsOf } from '../options/field-options.ts'
import { argument, flagOption } from '../options/input.ts'
import { writeOutput } from '../output-file.ts'
import type { Color, Output } from '../print.ts'
import { findSetupFile } from '../repository-data.ts'
import type { CommandRun, Session } from '../session.ts'

const marks: Readonly<Record<SetupEntry['state'], readonly [mark: string, color: Color | null]>> = {
  add: ['+ add', null],
  change: ['~ change', 'yellow'],
  unchanged: ['  unchanged', 'grey'],
  extra: ['  kept', 'grey'],
}

function printPlan(output: Output, { entries, differences }: SetupPlan): void {
  const count = (state: SetupEntry['state']) =>
    entries.filter((entry) => entry.state === state).length
  for (const entry of entries.filter(isChangedEntry)) {
    const [mark, color] = marks[entry.state]
    output.line(`${output.color(mark, color)} ${entry.kind} ${entry.name}`)
    for (const change of entry.changes) output.line(`    ${setupChangeText(change)}`)
  }
  const extras = entries.filter(({ state }) => state === 'extra')
  for (const { kind, name } of extras)
    output.line(output.color(`  kept ${kind} ${name}: not in the file`, 'grey'))
  output.line(
    differences === 0
      ? `No differences: ${counted(count('unchanged'), 'entry', 'entries')} unchanged.`
      : `${count('add')} to add, ${count('change')} to change, ${count('unchanged')} unchanged.`,
  )
}

/** Resolves with the missing secrets by place; rejects if nobody can enter them. */
async function enterSecrets(questions: Questions, { missing }: SetupPlan) {
  const secrets: Record<string, string> = {}
  if (missing.length > 0 && !questions.canAsk)
    throw new UsageError(
      `Missing ${counted(missing.length, 'secret')}: ${listed(
        missing.map(({ place, what, reference }) => `the ${what} (${reference ?? place})`),
        'and',
      )}. Set the variables or files, or run this in a terminal to enter them.`,
    )
  for (const { place, what } of missing) {
    const secret = await questions.ask(`Enter the ${what} (not shown):`)
    if (secret === '') throw new UsageError(`Nothing was entered. Enter the ${what}.`)
    secrets[place] = secret
  }
  return secrets
}

/** Rejects unless the user agrees. */
async function confirm(questions: Questions, changes: string): Promise<void> {
  if (!questions.canAsk) throw new UsageError('Nothing was changed. Add --yes to apply the plan.')
  const answer = await questions.ask(`Apply ${changes}? (y/n)`)
  if (!/^y(es)?$/i.test(answer)) throw new AppError('CANCELLED', 'Nothing was changed.')
}

async function applyFile(
  file: string,
  { check, yes, live }: { readonly check: boolean; readonly yes: boolean; readonly live?: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  const { loadSetup, outsideSecrets } = await import('../../core/setup/load-setup.ts')
  const load = (readsOutside: boolean): SetupSource =>
    loadSetup(file, { env: run.env, readsOutside })
  const source = load(false)
  const outside = outsideSecrets(source.text, file)
  const { client } = await run.openData()
  const plan = await planOf(client, source)
  const shown = (applied: boolean) => ({ ...plan, applied })
  if (!run.output.asJson) {
    printPlan(run.output, plan)
    if (deletesDeliveries(plan))
      run.output.line('Deletes the deliveries beyond the new retention limits.')
    for (const { reference, what } of outside)
      run.output.line(`Reads the ${what} from ${reference?.file ?? ''}.`)
  }
  if (check || plan.differences === 0) {
    run.output.result(shown(false), () => undefined)
    return plan.differences === 0 ? EXIT.done : EXIT.negative
  }
  const changes = counted(plan.differences, 'change')
  const questions = new Questions(run)
  try {
    if (!yes) await confirm(questions, changes)
    const complete = outside.length === 0 ? source : load(true)
    if (complete.text !== source.text)
      throw new UsageError(`${file} has changed meanwhile. Run the command again.`)
    const secrets = await enterSecrets(questions, await planOf(client, complete))
    await client.call('setup.apply', { source: complete, secrets, live })
  } finally {
    questions.close()
  }
  run.output.result(shown(true), `Applied ${changes}.`)
  return EXIT.done
}

async function planOf(client: Session['client'], source: SetupSource): Promise<SetupPlan> {
  const { plan } = await client.call('setup.plan', { source })
  if (plan === null) throw new AppError('NOT_FOUND', `${source.file} has no plan. Check the file.`)
  return plan
}

async function writeFile(file: string, run: CommandRun): Promise<void> {
  const { pathInside } = await import('../../core/base/inside-folder.ts')
  const { readSetupText } = await import('../../core/setup/load-setup.ts')
  const exists = statSync(file, { throwIfNoEntry: false }) !== undefined
  const text = exists ? readSetupText(file) : null
  const { client } = await run.openData()
  const described = await client.call('setup.describe', { file, text })
  const folder = dirname(file)
  const contents = [
    ...described.files.map(({ path, text: flow }) => ({ path, bytes: Buffer.from(flow) })),
    ...described.bodies.map(({ path, base64 }) => ({ path, bytes: Buffer.from(base64, 'base64') })),
  ]
  const others = contents.map((one) => ({ ...one, target: pathInside(folder, one.path) }))
  const lost = others.find(({ target }) => target === null)
  if (lost !== undefined)
    throw new AppError(
      'UNSUPPORTED',
      `${lost.path} leads out of ${folder}, so nothing was written. Choose another folder.`,
    )
  const { makeFolder } = await import('../../core/base/data-folder.ts')
  const written = [{ target: file, bytes: Buffer.from(described.text) }, ...others].filter(
    ({ target, bytes }) => target !== null && !isSame(target, bytes),
  )
  for (const { target, bytes } of written) {
    makeFolder(dirname(target ?? file))
    await writeOutput(target ?? file, bytes, 'shared')
  }
  const names = written.map(({ target }) => relative(process.cwd(), target ?? file))
  run.output.result({ file, written: names, variables: described.variables }, () => {
    run.output.line(names.length === 0 ? 'Nothing changed.' : `Wrote ${listed(names, 'and')}.`)
    for (const variable of described.variables)
      run.output.line(`Set ${variable} where you apply it.`)
  })
}

function isSame(file: string, bytes: Buffer): boolean {
  return (
    statSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).equals(bytes)
  )
}

export const add = defineCommand({
  description:
    'Compare countersign.json with the data folder, ask, and add or change what differs, in one transaction. No entry is deleted, and nothing is sent. FILE is the nearest countersign.json, from this folder upwards.',
  exits: { 1: 'something differs with --check', 2: 'the file has errors, or --yes is missing' },
  examples: [
    ['Write the file from the data folder', 'apply --write countersign.json'],
    ['Show what would change', 'apply --check countersign.json', { notRun: 'needs the file' }],
    ['Apply it without a question', 'apply --yes', { notRun: 'needs the file' }],
  ],
  args: { file: argument('[file]', 'setup file') },
  options: {
    check: flagOption('only print the plan'),
    yes: flagOption('apply without asking').conflicts('check'),
    write: flagOption('write the file from the data folder').conflicts('check', 'yes'),
    ...optionsOf(setupCommands['setup.apply'].input.pick({ live: true })),
  },
  async run({ file: given, write, ...options }, run) {
    const nearest = given ?? findSetupFile()
    if (write) return writeFile(resolve(nearest ?? SETUP_FILE), run)
    if (nearest === null)
      throw new AppError(
        'NOT_FOUND',
        `No ${SETUP_FILE} here or above. Write one with "countersign apply --write".`,
      )
    return applyFile(resolve(nearest), options, run)
  },
})
