/** `countersign mcp`: gives a coding agent tools to read deliveries and, if allowed, to send. */
import { AppError } from '../../shared/contract/errors.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../context.ts'
import { withStop } from '../lifetime.ts'
import { nonBlankOption, flagOption } from '../options/input.ts'
import { withRun, type CommandRun } from '../session.ts'

/** Rejects with `NOT_FOUND` unless the environment is a live one. Closes its session at once. */
async function checkLive(name: string, run: CommandRun): Promise<void> {
  const runOptions = { data: run.dataFolder(), asJson: false, running: undefined, typed: [] }
  const mode = await withRun(run, runOptions, async ({ findData }) => {
    const session = await findData(null)
    const list = await session?.client.call('environments.list', {})
    return list?.environments.find((one) => one.name === name)?.mode
  })
  if (mode !== 'live')
    throw new AppError(
      'NOT_FOUND',
      `Live environment "${name}" not found. List yours with "countersign environments list".`,
    )
}

export const add = defineCommand({
  description:
    'Give a coding agent tools to read deliveries and explain signatures: a Model Context Protocol server on standard input and output. Sending needs --allow-sends and reaches only this computer. See docs/agents.md.',
  examples: [
    ['Let an agent read deliveries', 'mcp', { notRun: 'runs until its input ends' }],
    [
      'Also let it replay deliveries and check your handler',
      'mcp --allow-sends',
      { notRun: 'runs until its input ends' },
    ],
  ],
  json: null,
  options: {
    allowSends: flagOption(
      'add the tools that trigger, replay, send, check, run flows, shrink and wait',
    ),
    live: nonBlankOption('<environment>', 'allow signing for this live environment'),
  },
  async run({ allowSends, live }, run) {
    if (live !== undefined && !allowSends) throw new UsageError('--live needs --allow-sends.')
    if (live !== undefined) await checkLive(live, run)
    const { serveMcp } = await import('../mcp/server.ts')
    const options = { data: run.dataFolder(), allowSends, live }
    await withStop(run.env, (signal) => serveMcp(run, options, signal))
  },
})
