/** `countersign sandbox …`: the objects of the sandbox, and a way back to the start. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import {
  sandboxObjectKindSchema,
  type SandboxChange,
  type SandboxObject,
  type SandboxClockChange,
  type SandboxClockState,
} from '../../shared/model/sandbox.ts'
import { readLiteral, readMany, readOnce, readSeed, readWith, readDuration, readInstant, readSpeed } from '../arguments.ts'
import { UsageError } from '../failure.ts'
import { createColumns, type Cell, type Output } from '../output.ts'
import { withInstance } from '../session.ts'
import { notificationCells } from './trigger.ts'

/** A kind of object of the sandbox. */
const readKind = readWith(() => sandboxObjectKindSchema, `one of ${sandboxObjectKindSchema.options.join(', ')}`)

interface ObjectOptions extends DataOption {
  readonly environment?: string
  readonly program?: string
  readonly set?: Literals
  readonly unset?: readonly string[]
  readonly seed?: number
  readonly live?: true
  readonly json?: true
}

const KINDS = sandboxObjectKindSchema.options.join(', ')

function objectCells({ kind, id, environment, title }: SandboxObject): Cell[] {
  return [{ text: kind, colour: 'grey' }, { text: id }, { text: environment }, { text: title }]
}

function printChange(output: Output, change: SandboxChange, asJson: boolean): void {
  if (asJson) {
    output.json(change)
    return
  }
  for (const line of createColumns(output)([objectCells(change.object)])) output.line(line)
  for (const line of createColumns(output)(change.deliveries.map(notificationCells))) output.line(line)
}

function addList(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('list')
    .summary('list the objects of the sandbox')
    .description(`Lists the objects of the sandbox, oldest first. Kinds: ${KINDS}.`)
    .argument('[kind]', 'only of this kind', readKind)
    .option('--environment <name>', 'sandbox-test or sandbox-live (default: both)', readOnce)
    .option('--json', 'print one JSON object a line')
    .run(async (kind: SandboxObject['kind'] | undefined, options: ObjectOptions) => {
      const { output } = context
      await withInstance(dataFolderOf(context, options), "Listing the sandbox's objects", async ({ client }) => {
        const { objects } = await client.call('sandbox.objects', { environment: options.environment, kind })
        if (options.json === true) for (const object of objects) output.json(object)
        else for (const line of createColumns(output)(objects.map(objectCells))) output.line(line)
      })
    })
}

function addCreate(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('create')
    .summary('make an object')
    .description(
      `Makes an object: ${KINDS.replace(', transaction', '')}. What the interface says of a new one is sent along: a brand's consent, a location's three reports, a linked card.`,
    )
    .argument('<kind>', 'what to make', readKind)
    .option('--environment <name>', 'sandbox-test or sandbox-live (default: sandbox-test)', readOnce)
    .option('--program <id>', 'the program it belongs to (default: the first)', readOnce)
    .option('--set <path=value>', 'sets a field, for example name=Corner (again for more)', readLiteral)
    .option('--seed <n>', 'makes the same object again', readSeed)
    .option('--live', 'agree to changing sandbox-live')
    .option('--json', 'print one JSON object')
    .run(async (kind: SandboxObject['kind'], options: ObjectOptions) => {
      const { environment, program: programId, set, seed, live = false } = options
      await withInstance(dataFolderOf(context, options), 'Making an object', async ({ client }) => {
        const change = await client.call('sandbox.create', { environment, kind, programId, literals: set, seed, live })
        printChange(context.output, change, options.json === true)
      })
    })
}

function addUpdate(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('update')
    .summary('change an object')
    .description(
      'Sets fields of an object, or takes them away. What the interface says of the change is sent along, such as a consent that is given.',
    )
    .argument('<id>', "the object's id")
    .option('--set <path=value>', 'a field to set, for example amex.auth=false (again for more)', readLiteral)
    .option('--unset <path>', 'a field to take away, for example metadata.tier (again for more)', readMany)
    .option('--environment <name>', 'sandbox-test or sandbox-live (default: sandbox-test)', readOnce)
    .option('--live', 'agree to changing sandbox-live')
    .option('--json', 'print one JSON object')
    .run(async (id: string, options: ObjectOptions) => {
      const { environment, set, unset, live = false } = options
      if (set === undefined && unset === undefined)
        throw new UsageError('Nothing is to change: name a field with --set PATH=VALUE or --unset PATH.')
      await withInstance(dataFolderOf(context, options), 'Changing an object', async ({ client }) => {
        const change = await client.call('sandbox.update', { environment, id, literals: set, unset: unset && [...unset], live })
        printChange(context.output, change, options.json === true)
      })
    })
}

function addClearings(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('clearings')
    .summary('list the purchases that wait to be cleared')
    .description("Lists the purchases that wait to be cleared, soonest first, each with the time of the sandbox's clock.")
    .option('--json', 'print one JSON object a line')
    .run(async (options: ObjectOptions) => {
      const { output } = context
      await withInstance(dataFolderOf(context, options), 'Listing what waits', async ({ client }) => {
        const { clearings } = await client.call('sandbox.clearings', {})
        if (options.json === true) {
          for (const clearing of clearings) output.json(clearing)
          return
        }
        const rows = clearings.map(({ transactionId, mode, at }): Cell[] => [
          { text: transactionId },
          { text: `sandbox-${mode}` },
          { text: at },
        ])
        for (const line of createColumns(output)(rows)) output.line(line)
        if (clearings.length === 0) output.note('No purchase waits to be cleared.')
      })
    })
}

function addReset(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('reset')
    .summary('empty the sandbox')
    .description('Puts objects, pending deliveries and clock of the sandbox back to the start. Hooks and keys stay.')
    .option('--live', 'agree to emptying sandbox-live too, which a reset does')
    .run(async (options: ObjectOptions) => {
      await withInstance(dataFolderOf(context, options), 'A reset', async ({ client }) => {
        await client.call('sandbox.reset', { live: options.live === true })
        context.output.note('The sandbox is back at its start.')
      })
    })
}

export function addSandbox(sandboxCommand: Command, context: CommandContext): void {
  const sandbox = sandboxCommand.description('Manage the objects and the clock of the sandbox.')
  addList(sandbox, context)
  addCreate(sandbox, context)
  addUpdate(sandbox, context)
  addClearings(sandbox, context)
  addReset(sandbox, context)
  addSandboxClock(sandbox, context)
}

interface ClockOptions extends DataOption {
  readonly live?: true
  readonly json?: true
}

function print(output: Output, state: SandboxClockState, asJson: boolean): void {
  if (asJson) output.json(state)
  else
    output.line(
      `${state.now}  ${state.paused ? 'paused' : state.speed === 1 ? 'at the speed of the wall clock' : `${state.speed} times as fast`}`,
    )
}

/** `countersign sandbox clock …`: the sandbox's own time. */
export function addSandboxClock(sandbox: Command, context: CommandContext): void {
  const clock = sandbox
    .command('clock')
    .summary("the sandbox's own time")
    .description(
      'It moves the times inside payloads, the wait for clearing and the waits between attempts. Signatures and the 20-second time-out keep to the wall clock.',
    )

  const work = (command: Command, change: SandboxClockChange | null) => {
    const options: ClockOptions = command.optsWithGlobals()
    return withInstance(dataFolderOf(context, options), "The sandbox's clock", async ({ client }) => {
      const state =
        change === null
          ? await client.call('sandbox.clock', {})
          : await client.call('sandbox.setClock', { ...change, live: options.live === true })
      print(context.output, state, options.json === true)
    })
  }
  const add = (name: string, summary: string) =>
    clock.command(name).summary(summary).description(`${summary}.`).option('--json', 'print one JSON object')

  add('show', 'Tells where the clock stands').action((_own: unknown, command: Command) => work(command, null))
  const addMove = (name: string, summary: string) =>
    add(name, summary).option('--live', 'agree to what it may let go out in sandbox-live, where something waits there')
  addMove('set', 'Moves the clock on to a time; it never goes back')
    .argument('<time>', 'for example 2026-11-23T12:00:00Z', readInstant)
    .action((time: number, _own: unknown, command: Command) =>
      work(command, { action: 'set', time: new Date(time).toISOString() }),
    )
  addMove('jump', 'Moves the clock on by a time')
    .argument('<duration>', 'for example 90s, 15m, 72h or 3d', readDuration)
    .action((ms: number, _own: unknown, command: Command) => work(command, { action: 'jump', ms }))
  addMove('speed', 'Sets how many seconds pass in one of the wall clock')
    .argument('<n>', 'above 0, at most 100000', readSpeed)
    .action((speed: number, _own: unknown, command: Command) => work(command, { action: 'speed', speed }))
  add('pause', 'Stops the clock').action((_own: unknown, command: Command) => work(command, { action: 'pause' }))
  addMove('resume', 'Lets the clock go on').action((_own: unknown, command: Command) => work(command, { action: 'resume' }))
}
