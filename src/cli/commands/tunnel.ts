/** `countersign tunnel`: manages the receiver's public URL and the tunnel that provides it. */
import { tunnelCommands } from '../../shared/contract/nouns/tunnels.ts'
import { tunnelProviderSchema, type TunnelStatus } from '../../shared/model/tunnel.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { addressTestOutcomes, tunnelStates } from '../../shared/model/service-outcomes.ts'
import { listed } from '../../shared/text/english.ts'
import { defineCommand, defineGroup } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { argument, flagOption } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { type Cell, outcomeCell, type Output } from '../print.ts'
import type { Caller } from '../session.ts'

const PROVIDERS = listed(tunnelProviderSchema.options, 'or')

async function noteHooks(
  output: Output,
  client: Caller,
  { earlier }: TunnelStatus,
  before: string | null = null,
): Promise<void> {
  const { receiver } = await client.call('app.status', {})
  const { hooks } = await client.call('hooks.list', {})
  const others = new Set([
    ...(before === null || before === receiver.publicUrl ? [] : [before]),
    ...earlier,
  ])
  for (const note of repointNotes([...others], receiver.publicUrl, hooks)) output.note(note)
}

/**
 * Returns advice about hooks on an earlier public URL.
 * @param publicUrl The current one; null if there is none.
 */
export function repointNotes(
  earlier: readonly string[],
  publicUrl: string | null,
  hooks: readonly Hook[],
): string[] {
  return earlier.flatMap((from) => {
    const count = hooks.filter(
      ({ status, url }) => status === 'active' && (url === from || url.startsWith(`${from}/`)),
    ).length
    if (count === 0) return []
    const which = count === 1 ? '1 hook still points' : `${count} hooks still point`
    const next =
      publicUrl === null
        ? ', which no longer works. Start a tunnel or set the public URL with "countersign tunnel use URL", then move them there.'
        : `, which is no longer the public URL. Move them: countersign hooks repoint ${from} ${publicUrl}`
    return [`${which} to ${from}${next}`]
  })
}

function tunnelCells({ state, provider, url, problem }: TunnelStatus): Cell[] {
  return [outcomeCell(tunnelStates[state], state), provider ?? '', url ?? problem ?? '']
}

export const add = defineGroup("Manage the receiver's public URL.", {
  start: defineCommand({
    summary: 'start cloudflared or ngrok',
    description:
      'Start a tunnel to the receiver and print its public URL. The tunnel runs until you stop it or Countersign.',
    running: 'A tunnel',
    exits: { 3: 'the tool is missing or reports no URL' },
    examples: [
      [
        'Start a Cloudflare tunnel',
        'tunnel start cloudflared',
        { notRun: 'needs cloudflared and a network' },
      ],
      [
        'Start ngrok on your own domain',
        'tunnel start ngrok --domain my-team.ngrok.app',
        { notRun: 'needs ngrok and a network' },
      ],
    ],
    args: { program: argument('<program>', `tunnel tool: ${PROVIDERS}`) },
    options: optionsOf(tunnelCommands['tunnels.start'].input),
    async run({ program, domain }, { client, output }) {
      const provider = tunnelProviderSchema.safeParse(program).data
      if (provider === undefined)
        throw new UsageError(`Unknown tunnel tool "${program}". Use ${PROVIDERS}.`)
      const status = await client.call('tunnels.start', { provider, domain })
      output.list([status], tunnelCells)
      await noteHooks(output, client, status)
    },
  }),

  stop: defineCommand({
    summary: 'stop the tunnel',
    description: 'Stop the tunnel. If its URL was the public URL, the receiver no longer has one.',
    running: 'Stopping a tunnel',
    examples: [['Stop the tunnel', 'tunnel stop']],
    async run(_, { client, output }) {
      output.list([await client.call('tunnels.stop', {})], tunnelCells)
    },
  }),

  status: defineCommand({
    summary: 'show the tunnel and the public URL',
    description: 'Show the tunnel and the public URL.',
    running: 'The tunnel status',
    examples: [['Show the tunnel and the public URL', 'tunnel status']],
    async run(_, { client, output }) {
      const status = await client.call('tunnels.status', {})
      const { publicUrl } = (await client.call('app.status', {})).receiver
      output.result({ ...status, publicUrl }, () =>
        output.table([tunnelCells(status), ['public URL', '', publicUrl ?? 'not set']]),
      )
      await noteHooks(output, client, status)
    },
  }),

  test: defineCommand({
    summary: 'test the public URL',
    description:
      'Send a request to the public URL and check that it reaches this receiver unchanged. The request is not stored.',
    running: 'Testing the public URL',
    exits: { 1: 'the request does not arrive or arrives changed' },
    examples: [['Test the public URL', 'tunnel test', { notRun: 'needs a public URL' }]],
    async run(_, { client, output }) {
      const test = await client.call('tunnels.test', {})
      output.list([test], ({ outcome, message, ms }) => [
        outcomeCell(addressTestOutcomes[outcome], outcome),
        `${ms} ms`,
        message,
      ])
      return test.outcome === 'reached' ? EXIT.done : EXIT.negative
    },
  }),

  use: defineCommand({
    summary: 'set your own public URL',
    description: 'Set a public URL that your tunnel or proxy provides; --none removes it.',
    running: 'The public URL',
    examples: [
      ['Use your own proxy', 'tunnel use https://hooks.example.com'],
      ['Remove the public URL', 'tunnel use --none'],
    ],
    args: { url: argument('[url]', 'HTTPS URL, without a path unless your proxy removes it') },
    json: "print the receiver's state as a JSON object",
    options: { none: flagOption('remove the public URL') },
    async run({ url, none }, { client, output }) {
      if ((url === undefined) !== none) throw new UsageError('Use either a URL or --none.')
      if (url !== undefined && !URL.canParse(url))
        throw new UsageError(
          `"${url}" is not a URL. Enter a complete one, for example https://hooks.example.com.`,
        )
      const before = (await client.call('app.status', {})).receiver.publicUrl
      const status = await client.call('receiver.setPublicUrl', { url: url ?? null })
      output.result(status, status.publicUrl ?? 'no public URL')
      await noteHooks(output, client, await client.call('tunnels.status', {}), before)
    },
  }),
})
