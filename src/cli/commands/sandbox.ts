/** `countersign sandbox`: manages sandbox objects and the sandbox clock. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  withInstance,
} from '../context.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import {
  sandboxObjectKindSchema,
  type SandboxChange,
  type SandboxObject,
  type SandboxClockChange,
  type SandboxClockState,
} from '../../shared/model/sandbox.ts'
import {
  readLiteral,
  readMany,
  readOnce,
  readCountFromZero,
  readWith,
  readDuration,
  readInstant,
  readSpeed,
} from '../arguments.ts'
import type { Cell, Output } from '../output.ts'
import { notificationCells } from './trigger.ts'

const readKind = readWith(
  () => sandboxObjectKindSchema,
  `one of ${sandboxObjectKindSchema.options.join(', ')}`,
)

interface ObjectOptions extends DataOption {
  readonly environment?: string
  readonly program?: string
  readonly set?: Literals
  readonly unset?: readonly string[]
  readonly seed?: number
  readonly live?: true
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
  output.table([objectCells(change.object)])
  output.table(change.deliveries.map(notificationCells))
}

export function add(command: Command, context: CommandContext): void {
  const sandbox = command.description('Manage sandbox objects and the sandbox clock.')

  sandbox
    .command('list')
    .summary('list objects')
    .description(`List the objects of the sandbox, oldest first. Kinds: ${KINDS}.`)
    .requiresRunning()
    .example('List all objects', 'sandbox list')
    .example(
      'List programs as JSON Lines',
      'sandbox list program --environment sandbox-test --json',
    )
    .argument('[kind]', 'only this kind', readKind)
    .option('--environment <name>', 'sandbox-test or sandbox-live (default: both)', readOnce)
    .printsJson('lines')
    .run(async (kind: SandboxObject['kind'] | undefined, options: ObjectOptions) => {
      const { output } = context
      await withInstance(context, options, 'Listing sandbox objects', async ({ client }) => {
        const { objects } = await client.call('sandbox.objects', {
          environment: options.environment,
          kind,
        })
        output.list(objects, options.json, objectCells)
      })
    })

  sandbox
    .command('create')
    .summary('create an object')
    .description(
      `Create an object: ${KINDS.replace(', transaction', '')}. The sandbox sends the events of a new one: a brand's consent, a location's three reports, a linked card.`,
    )
    .requiresRunning()
    .example('Create a brand', 'sandbox create brand --set name=Corner')
    .argument('<kind>', 'kind of object', readKind)
    .option(
      '--environment <name>',
      'sandbox-test or sandbox-live (default: sandbox-test)',
      readOnce,
    )
    .option('--program <id>', 'program of the object (default: the first)', readOnce)
    .option('--set <path=value>', 'set a field, for example name=Corner (repeatable)', readLiteral)
    .option('--seed <n>', 'create the same object again', readCountFromZero)
    .option('--live', 'allow changes to sandbox-live')
    .printsJson()
    .run(async (kind: SandboxObject['kind'], options: ObjectOptions) => {
      const { environment, program: programId, set, seed, live = false } = options
      await withInstance(context, options, 'Creating an object', async ({ client }) => {
        const change = await client.call('sandbox.create', {
          environment,
          kind,
          programId,
          literals: set,
          seed,
          live,
        })
        printChange(context.output, change, options.json === true)
      })
    })

  sandbox
    .command('update')
    .summary('change an object')
    .description(
      "Set or remove fields of an object. The sandbox sends the events of the change, such as a brand's consent.",
    )
    .requiresRunning()
    .example('Rename a brand', `sandbox update "$BRAND" --set name='Corner Shop'`)
    .argument('<id>', 'object ID')
    .option(
      '--set <path=value>',
      'set a field, for example amex.auth=false (repeatable)',
      readLiteral,
    )
    .option('--unset <path>', 'remove a field, for example metadata.tier (repeatable)', readMany)
    .option(
      '--environment <name>',
      'sandbox-test or sandbox-live (default: sandbox-test)',
      readOnce,
    )
    .option('--live', 'allow changes to sandbox-live')
    .printsJson()
    .run(async (id: string, options: ObjectOptions) => {
      const { environment, set, unset, live = false } = options
      if (set === undefined && unset === undefined)
        throw new UsageError('Nothing to change. Use --set PATH=VALUE or --unset PATH.')
      await withInstance(context, options, 'Changing an object', async ({ client }) => {
        const change = await client.call('sandbox.update', {
          environment,
          id,
          literals: set,
          unset: unset && [...unset],
          live,
        })
        printChange(context.output, change, options.json === true)
      })
    })

  sandbox
    .command('clearings')
    .summary('list purchases that will be cleared')
    .description(
      'List purchases that will be cleared, soonest first, with the sandbox time of clearing.',
    )
    .requiresRunning()
    .example('List purchases that will be cleared', 'sandbox clearings')
    .printsJson('lines')
    .run(async (options: ObjectOptions) => {
      const { output } = context
      await withInstance(context, options, 'Listing clearings', async ({ client }) => {
        const { clearings } = await client.call('sandbox.clearings', {})
        output.list(clearings, options.json, ({ transactionId, mode, at }) => [
          { text: transactionId },
          { text: `sandbox-${mode}` },
          { text: at },
        ])
        if (clearings.length === 0 && options.json !== true) output.note('No purchases to clear.')
      })
    })

  sandbox
    .command('reset')
    .summary('reset the sandbox')
    .description(
      'Reset the sandbox: delete its objects and pending deliveries, and set its clock to real time. Hooks and keys stay.',
    )
    .requiresRunning()
    .example('Reset the sandbox', 'sandbox reset --live')
    .option('--live', 'allow emptying sandbox-live too (required)')
    .run(async (options: ObjectOptions) => {
      await withInstance(context, options, 'Resetting the sandbox', async ({ client }) => {
        await client.call('sandbox.reset', { live: options.live === true })
        context.output.note('Sandbox reset.')
      })
    })

  const clock = sandbox
    .command('clock')
    .summary('control the sandbox clock')
    .description(
      'Control the sandbox clock: it sets the times in payloads, the wait for clearing and the wait between attempts. Signatures and the 20-second timeout use real time.',
    )

  const work = (options: ClockOptions, change: SandboxClockChange | null) =>
    withInstance(context, options, 'The sandbox clock', async ({ client }) => {
      const state =
        change === null
          ? await client.call('sandbox.clock', {})
          : await client.call('sandbox.setClock', { ...change, live: options.live === true })
      print(context.output, state, options.json === true)
    })
  const addStill = (name: string, description: string) =>
    clock
      .command(name)
      .summary(`${description[0]?.toLowerCase() ?? ''}${description.slice(1)}`)
      .description(`${description}.`)
      .requiresRunning()
      .printsJson()
  const addMove = (name: string, description: string) =>
    addStill(name, description).option('--live', 'allow pending events of sandbox-live to be sent')

  addStill('show', 'Show sandbox time')
    .example('Show sandbox time', 'sandbox clock show')
    .run((options: ClockOptions) => work(options, null))
  addMove('set', 'Advance the clock to a time')
    .example('Advance to a date', 'sandbox clock set 2036-11-23T04:00:00Z')
    .argument('<time>', 'for example 2036-11-23T04:00:00Z', readInstant)
    .run((time: number, options: ClockOptions) =>
      work(options, { action: 'set', time: new Date(time).toISOString() }),
    )
  addMove('jump', 'Advance the clock by a duration')
    .example('Advance by three days', 'sandbox clock jump 72h')
    .argument('<duration>', 'for example 90s, 15m, 72h or 3d', readDuration)
    .run((ms: number, options: ClockOptions) => work(options, { action: 'jump', ms }))
  addMove('speed', 'Set how many sandbox seconds pass per real second')
    .example('Let a sandbox hour pass each second', 'sandbox clock speed 3600')
    .argument(
      '<speed>',
      'sandbox seconds per real second: a number above 0, at most 100000',
      readSpeed,
    )
    .run((speed: number, options: ClockOptions) => work(options, { action: 'speed', speed }))
  addStill('pause', 'Pause the clock')
    .example('Pause the clock', 'sandbox clock pause')
    .run((options: ClockOptions) => work(options, { action: 'pause' }))
  addMove('resume', 'Resume the clock')
    .example('Resume the clock', 'sandbox clock resume')
    .run((options: ClockOptions) => work(options, { action: 'resume' }))
}

interface ClockOptions extends DataOption {
  readonly live?: true
}

function print(output: Output, state: SandboxClockState, asJson: boolean): void {
  if (asJson) output.json(state)
  else
    output.line(
      `${state.now}  ${state.paused ? 'paused' : state.speed === 1 ? 'real time' : `${state.speed}× real time`}`,
    )
}
