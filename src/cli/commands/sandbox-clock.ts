/** `countersign sandbox clock …`: the sandbox's own time. */
import type { Command } from '../command.ts'
import type { SandboxClockChange, SandboxClockState } from '../../shared/model/sandbox-clock.ts'
import { readDuration, readInstant, readSpeed } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import type { Output } from '../output.ts'
import { withInstance } from '../session.ts'

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
