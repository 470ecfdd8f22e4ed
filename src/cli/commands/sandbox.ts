/** `countersign sandbox`: manages sandbox objects and the sandbox clock. */
import { sandboxCommands } from '../../shared/contract/nouns/sandbox.ts'
import {
  sandboxClockChangeSchema,
  sandboxObjectKindSchema,
  type SandboxChange,
  type SandboxClockChange,
  type SandboxObject,
} from '../../shared/model/sandbox.ts'
import { defineCommand, defineGroup, type CommandDescription, JSON_LINES } from '../command.ts'
import { UsageError } from '../context.ts'
import { argument, flagOption, type Inputs } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readInstant, readDuration, readSpeed, readWith } from '../options/value-readers.ts'
import { grey, type Cell, type Output } from '../print.ts'
import { notificationCells } from './trigger.ts'

const KINDS = sandboxObjectKindSchema.options.join(', ')

const readKind = readWith(() => sandboxObjectKindSchema, `one of ${KINDS}`)

function objectCells({ kind, id, environment, title }: SandboxObject): Cell[] {
  return [grey(kind), id, environment, title]
}

function printChange(output: Output, change: SandboxChange): void {
  output.result(change, () => {
    output.table([objectCells(change.object)])
    output.table(change.deliveries.map(notificationCells))
  })
}

/**
 * Describes a command that shows the clock, after a change if there is an action.
 * @param does Description without a full stop.
 * @param example Example's description and command line.
 */
function clockCommand(
  action: SandboxClockChange['action'] | null,
  does: string,
  example: readonly [does: string, line: string],
  args: Inputs = {},
): CommandDescription {
  const isMoving = action !== null && action !== 'pause'
  return defineCommand({
    summary: `${does[0]?.toLowerCase() ?? ''}${does.slice(1)}`,
    description: `${does}.`,
    running: 'The sandbox clock',
    examples: [example],
    args,
    options: {
      ...(isMoving ? { live: flagOption('allow pending events of sandbox-live to be sent') } : {}),
    },
    async run({ live, ...input }, { client, output }) {
      const state =
        action === null
          ? await client.call('sandbox.clock', {})
          : await client.call('sandbox.setClock', {
              ...sandboxClockChangeSchema.parse({ ...input, action }),
              live,
            })
      const { now, paused, speed } = state
      const pace = paused ? 'paused' : speed === 1 ? 'real time' : `${speed}× real time`
      output.result(state, `${now}  ${pace}`)
    },
  })
}

export const add = defineGroup('Manage sandbox objects and the sandbox clock.', {
  list: defineCommand({
    summary: 'list objects',
    description: `List the objects of the sandbox, oldest first. Kinds: ${KINDS}.`,
    running: 'Listing sandbox objects',
    examples: [
      ['List all objects', 'sandbox list'],
      ['List programs as JSON Lines', 'sandbox list program --environment sandbox-test --json'],
    ],
    args: { kind: argument('[kind]', 'only this kind', readKind) },
    json: JSON_LINES,
    options: optionsOf(sandboxCommands['sandbox.objects'].input),
    async run(input, { client, output }) {
      output.list((await client.call('sandbox.objects', input)).objects, objectCells)
    },
  }),

  create: defineCommand({
    summary: 'create an object',
    description: `Create an object: ${KINDS.replace(', transaction', '')}. The sandbox sends the events of a new one: a brand's consent, a location's three reports, a linked card.`,
    running: 'Creating an object',
    examples: [['Create a brand', 'sandbox create brand --set name=Corner']],
    args: { kind: argument('<kind>', 'kind of object', readKind) },
    options: optionsOf(sandboxCommands['sandbox.create'].input),
    async run(input, { client, output }) {
      printChange(output, await client.call('sandbox.create', input))
    },
  }),

  update: defineCommand({
    summary: 'change an object',
    description:
      "Set or remove fields of an object. The sandbox sends the events of the change, such as a brand's consent.",
    running: 'Changing an object',
    examples: [['Rename a brand', `sandbox update "$BRAND" --set name='Corner Shop'`]],
    args: { id: argument('<id>', 'object ID') },
    options: optionsOf(sandboxCommands['sandbox.update'].input),
    async run(input, { client, output }) {
      if (input.literals === undefined && input.unset.length === 0)
        throw new UsageError('Nothing to change. Use --set PATH=VALUE or --unset PATH.')
      printChange(output, await client.call('sandbox.update', input))
    },
  }),

  send: defineCommand({
    summary: "send a delivery that wasn't sent",
    description:
      "Make the next attempt of a delivery that wasn't sent because its host is remote. Without an ID, list them.",
    running: 'Sending a delivery',
    examples: [
      [
        'Send one',
        'sandbox send 6f1c2a3b --allow-host hooks.example.com',
        { notRun: 'connects to a remote host' },
      ],
    ],
    json: JSON_LINES,
    args: { id: argument('[id]', 'delivery ID') },
    options: optionsOf(sandboxCommands['sandbox.send'].input),
    async run({ id, ...input }, { client, output }) {
      const unsent = async () => {
        const { notifications } = await client.call('sandbox.notifications', { limit: 500 })
        return notifications.filter(({ state }) => state === 'not-sent')
      }
      const listed =
        id === undefined
          ? await unsent()
          : (await client.call('sandbox.send', { id, ...input })).deliveries
      output.list(listed, (one) => [grey(one.id), ...notificationCells(one)])
    },
  }),

  clearings: defineCommand({
    summary: 'list purchases that will be cleared',
    description:
      'List purchases that will be cleared, soonest first, with the sandbox time of clearing.',
    running: 'Listing clearings',
    examples: [['List purchases that will be cleared', 'sandbox clearings']],
    json: JSON_LINES,
    async run(_, { client, output }) {
      const { clearings } = await client.call('sandbox.clearings', {})
      output.list(clearings, ({ transactionId, mode, at }) => [
        transactionId,
        `sandbox-${mode}`,
        at,
      ])
      if (clearings.length === 0 && !output.asJson) output.note('No purchases to clear.')
    },
  }),

  reset: defineCommand({
    summary: 'reset the sandbox',
    description:
      'Reset the sandbox: delete its objects and pending deliveries, and set its clock to real time. Hooks and keys stay.',
    running: 'Resetting the sandbox',
    examples: [['Reset the sandbox', 'sandbox reset --live']],
    json: null,
    options: optionsOf(sandboxCommands['sandbox.reset'].input),
    async run(input, { client, output }) {
      await client.call('sandbox.reset', input)
      output.note('Sandbox reset.')
    },
  }),

  clock: defineGroup(
    'Control the sandbox clock: it sets the times in payloads, the wait for clearing and the wait between attempts. Signatures and the 20-second timeout use real time.',
    {
      show: clockCommand(null, 'Show sandbox time', ['Show sandbox time', 'sandbox clock show']),
      set: clockCommand(
        'set',
        'Advance the clock to a time',
        ['Advance to a date', 'sandbox clock set 2036-11-23T04:00:00Z'],
        {
          time: argument('<time>', 'for example 2036-11-23T04:00:00Z', (time) =>
            new Date(readInstant(time)).toISOString(),
          ),
        },
      ),
      jump: clockCommand(
        'jump',
        'Advance the clock by a duration',
        ['Advance by three days', 'sandbox clock jump 72h'],
        { ms: argument('<duration>', 'for example 90s, 15m, 72h or 3d', readDuration) },
      ),
      speed: clockCommand(
        'speed',
        'Set how many sandbox seconds pass per real second',
        ['Let a sandbox hour pass each second', 'sandbox clock speed 3600'],
        {
          speed: argument(
            '<speed>',
            'sandbox seconds per real second: a number above 0, at most 100000',
            readSpeed,
          ),
        },
      ),
      pause: clockCommand('pause', 'Pause the clock', ['Pause the clock', 'sandbox clock pause']),
      resume: clockCommand('resume', 'Resume the clock', [
        'Resume the clock',
        'sandbox clock resume',
      ]),
    },
    'control the sandbox clock',
  ),
})
