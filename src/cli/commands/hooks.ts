/** `countersign hooks`: manages the hooks of an environment. */
import { counted } from '../../shared/text/english.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { repointOutcomes, syncOutcomes } from '../../shared/model/service-outcomes.ts'
import { hookCommands } from '../../shared/contract/nouns/hooks.ts'
import {
  FLOW_HOOK,
  type Hook,
  hookAddSchema,
  hookImportSchema,
  hookSyncInputSchema,
  hookUpdateSchema,
  knownPrograms,
  type SyncedHook,
  syncSummary,
} from '../../shared/model/hook.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import { originOf, withOrigin } from '../../shared/service/hook-finding.ts'
import { checkUpdateFields } from '../../shared/service/hook-rules.ts'
import { answerOption } from '../response-rule.ts'
import { defineCommand, defineGroup, JSON_LINES } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { argument, flagOption, omitUndefined, textOption } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { type Cell, grey, outcomeCell, type Output } from '../print.ts'
import type { Caller, CommandRun } from '../session.ts'
import { environmentLines, isForFilesOnly } from '../secret-lines.ts'
import { hookCells, hookJson, readHookList, printHook } from '../hook-list.ts'

const hookArgument = argument('<hook>', 'hook ID')
const includeSecrets = flagOption('with --json: print the secret and header values')

const { 'hooks.list': listing, 'hooks.remove': removal, 'hooks.rotate': rotation } = hookCommands
const { headers: changedHeaders, live: liveHook, ...changes } = optionsOf(hookUpdateSchema)

export const add = defineGroup('Manage hooks and their secrets.', {
  list: defineCommand({
    summary: 'list hooks',
    description:
      'List hooks: event, environment, status, URL, end of the secret, ID. `verifies only`: on a remote host, so the sandbox delivers there only with "countersign trigger EVENT --allow-host HOST".',
    examples: [
      ['List all hooks', 'hooks list'],
      [
        'List the hooks of one environment as JSON Lines',
        'hooks list --environment sandbox-test --json',
      ],
    ],
    json: JSON_LINES,
    options: {
      ...optionsOf(listing.input),
      all: flagOption('list the hooks of flow runs too'),
      includeSecrets: flagOption('show secrets and custom header values'),
    },
    async run({ all, environment, includeSecrets: withSecrets }, { findData, output }) {
      const session = await findData('No hooks yet')
      if (session === null) return
      const listed = await readHookList(session.client, { environment, withSecrets })
      const shown = listed.filter(({ hook }) => all || hook.remoteId !== FLOW_HOOK)
      output.list(shown, hookCells, hookJson)
    },
  }),

  add: defineCommand({
    summary: 'register a hook with the service',
    description:
      "Register a hook with the service and save its secret. Without --url, it gets its own path on the receiver's public URL, or on its local URL if none is set. For the sandbox's environments, Countersign must be running.",
    examples: [
      ['Subscribe to purchases', 'hooks add --event transaction.auth --program "$PROGRAM"'],
      [
        'Send a custom header with each delivery',
        "hooks add --event brand.consent --header 'X-Team: payments'",
      ],
    ],
    options: {
      ...optionsOf(hookAddSchema),
      includeSecrets,
    },
    async run(input, { client, output }) {
      const { hook, warnings } = await client
        .call('hooks.add', input)
        .catch(async (error: unknown) => {
          if (!isProgramMissing(error)) throw error
          const programId = await onlyProgram(client, error, input.environment)
          return client.call('hooks.add', { ...input, programId })
        })
      noteWarnings(output, warnings)
      await printHook(output, client, hook, { withSecrets: input.includeSecrets })
    },
  }),

  update: defineCommand({
    summary: 'change a hook or its response',
    description:
      'Change a hook at the service. Omitted options keep their values. If --answer is the only option, the service is not called: it only sets how the receiver responds.',
    examples: [
      ['Change the URL', 'hooks update "$HOOK" --url https://hooks.example.com/new'],
      [
        'Respond 503 to the first two attempts, after 2 seconds',
        'hooks update "$HOOK" --answer fail-first=2,fail-status=503,delay=2s',
      ],
    ],
    args: { id: hookArgument },
    options: {
      ...changes,
      offerId: textOption(
        '--offer <id>',
        "not supported: the service can't change the offer of a hook",
      ),
      headers: changedHeaders.conflicts('noHeaders'),
      noHeaders: flagOption('remove all custom headers'),
      answer: answerOption,
      environment: textOption('<name>', 'environment the hook must belong to'),
      live: liveHook,
      includeSecrets,
    },
    async run(input, run) {
      const { url, programId, offerId, answer, environment, live } = input
      const headers = input.noHeaders ? {} : input.headers
      const change = omitUndefined({ event: input.event, url, programId, headers })
      const isChanged = Object.keys(change).length > 0
      if (!isChanged && answer === undefined && offerId === undefined)
        throw new UsageError(
          'Nothing to change. Use --event, --url, --program, --header, --no-headers or --answer.',
        )
      const { client, hook } = await openHook(run, input.id)
      refuseOffer(hook, offerId)
      if (environment !== undefined && environment !== hook.environment)
        throw new UsageError(
          `The hook belongs to ${hook.environment}, not ${environment}. A hook can't move between environments.`,
        )
      let changed = hook
      if (isChanged) {
        const result = await client.call('hooks.update', { id: hook.id, ...change, live })
        noteWarnings(run.output, result.warnings)
        changed = result.hook
      }
      if (answer !== undefined)
        changed = await client.call('hooks.answer', { id: hook.id, rule: answer, live })
      await printHook(run.output, client, changed, { withSecrets: input.includeSecrets })
    },
  }),

  remove: defineCommand({
    summary: 'delete a hook at the service',
    description:
      "Delete a hook at the service. This can't be undone. The record and its secret stay here, so old deliveries still verify. With --purge, they are removed too, if no delivery, handler or unfinished replay needs the hook.",
    examples: [['Delete a hook', 'hooks remove "$HOOK"']],
    args: { id: hookArgument },
    options: optionsOf(removal.input),
    async run(input, run) {
      const { purge, live } = input
      const { client, hook } = await openHook(run, input.id)
      const removed = await client.call('hooks.remove', { id: hook.id, purge, live })
      if (hook.remoteId === null)
        run.output.note(
          "Warning: the service's ID of this hook is unknown, so only the local record is closed. Delete the hook at the service too.",
        )
      if (removed.status === 'gone')
        run.output.note(
          `The hook was already deleted at the service.${purge ? '' : ' It is now marked as gone.'}`,
        )
      await printHook(run.output, client, removed)
    },
  }),

  rotate: defineCommand({
    summary: "replace a hook's secret",
    description: "Replace a hook's secret. Deliveries signed with a previous secret still verify.",
    examples: [['Set a new secret', 'hooks rotate "$HOOK" --secret-file new-secret.txt']],
    args: { id: hookArgument },
    options: { ...secretOptions, ...optionsOf(rotation.input) },
    async run(input, run) {
      const secret = await readSecret(run, input)
      const { client, hook } = await openHook(run, input.id)
      const change = { id: hook.id, secret, live: input.live }
      await printHook(run.output, client, await client.call('hooks.rotate', change))
    },
  }),

  repoint: defineCommand({
    summary: 'move hooks to another base URL',
    description:
      'Move every active hook under one base URL to the same path under another. A hook that the service rejects keeps its URL.',
    exits: { 3: 'the service rejects a change' },
    examples: [
      [
        'Move hooks to a new tunnel',
        'hooks repoint https://old.tunnel.example https://new.tunnel.example',
      ],
    ],
    args: {
      from: argument('<from>', 'current base URL, for example https://old.tunnel.example'),
      to: argument('<to>', 'new base URL'),
    },
    json: JSON_LINES,
    options: optionsOf(hookCommands['hooks.repoint'].input),
    async run(input, { findData, output }) {
      const session = await findData(null)
      const { moved } = (await session?.client.call('hooks.repoint', input)) ?? { moved: [] }
      if (moved.length === 0) output.note(`No active hooks under ${input.from}.`)
      output.list(moved, movedCells, ({ hook, problem, warnings }) => ({
        ...hookJson({ hook }),
        problem,
        warnings,
      }))
      // A URL's problem affects all its hooks, so it is printed once.
      const printed = new Map(
        moved.flatMap(({ warnings }) => warnings).map((warning) => [warning.message, warning]),
      )
      noteWarnings(output, [...printed.values()])
      for (const { hook, problem } of moved)
        if (problem !== null) output.note(`${hook.id}: ${problem}`)
      return moved.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.done
    },
  }),

  sync: defineCommand({
    summary: 'compare hooks with the service',
    description:
      "Compare an environment's hooks with those that the service lists: import new ones with their secrets, and mark those as gone that it no longer has. Nothing changes at the service. The spec doesn't show how to list hooks, so a service may not support it.",
    examples: [['Show what would change', 'hooks sync sandbox-test --dry-run']],
    args: {
      environment: argument('[environment]', 'name of the environment (default: the current one)'),
    },
    options: optionsOf(hookSyncInputSchema),
    async run(input, { client, output }) {
      const result = await client.call('hooks.sync', input)
      output.result(result, () => {
        output.table(result.hooks.map(syncedCells))
        for (const note of result.notes) output.note(note)
        output.note(syncSummary(result))
      })
    },
  }),

  import: defineCommand({
    summary: 'import a hook registered elsewhere',
    description:
      'Import a hook that was registered elsewhere, with its secret. In sandbox-test or sandbox-live, the sandbox sends deliveries to it; to a remote host only with "countersign trigger EVENT --allow-host HOST".',
    examples: [
      [
        'Import a hook with its secret',
        'hooks import --event transaction.auth --url https://127.0.0.1:4783/h/demo --secret-file secret.txt',
      ],
    ],
    options: {
      ...optionsOf(hookImportSchema),
      ...secretOptions,
    },
    async run(input, run) {
      const secret = await readSecret(run, input)
      const { client } = run
      const hook = await client.call('hooks.import', { ...input, secret })
      noteWarnings(run.output, hook.warnings)
      if (!isEventType(hook.event))
        run.output.note(
          `The spec doesn't list ${hook.event}. Its deliveries verify, but their schema is unknown.`,
        )
      await printHook(run.output, client, hook)
    },
  }),

  env: defineCommand({
    summary: 'print secrets for your handler',
    description:
      "Print NAME=secret lines for your handler's .env file, as --env-file reads it. Secrets are not masked.",
    examples: [['Write the secrets of all active hooks to a file', 'hooks env > webhooks.env']],
    json: null,
    options: optionsOf(listing.input),
    async run({ environment }, { findData, output }) {
      const session = await findData('No hooks yet')
      if (session === null) return
      const listed = await readHookList(session.client, { environment, withSecrets: true })
      const active = listed.filter(({ hook }) => hook.status === 'active')
      const named = active.flatMap(({ hook, secret }) =>
        typeof secret === 'string' ? [{ hook, secret }] : [],
      )
      // A file gets the exact secrets, whatever characters they contain.
      for (const { name, line } of environmentLines(named)) {
        if (line === null)
          output.note(
            `Left out ${name}: its secret has all three quotation marks. Copy it from "countersign hooks list --include-secrets".`,
          )
        else await output.bytes(Buffer.from(`${line}\n`))
        if (line !== null && isForFilesOnly(line))
          output.note(`A shell would change ${name}. Load the file with --env-file.`)
      }
      if (active.length === 0)
        output.note(`No active hooks${environment === undefined ? '' : ` in ${environment}`}.`)
      const missing = active.length - named.length
      if (missing > 0)
        output.note(
          `Skipped ${missing} of ${counted(active.length, 'hook')}: ${missing === 1 ? 'its secret is' : 'their secrets are'} unknown.`,
        )
    },
  }),
})

function movedCells({ hook, problem }: OutputOf<'hooks.repoint'>['moved'][number]): Cell[] {
  const { event: hookEvent, environment, url } = hook
  return [
    outcomeCell(repointOutcomes[problem === null ? 'done' : 'failed']),
    hookEvent,
    environment,
    url,
    grey(hook.id),
  ]
}

function syncedCells({ state, event: hookEvent, url, note }: SyncedHook): Cell[] {
  return [outcomeCell(syncOutcomes[state]), hookEvent, url, note ?? '']
}

/** Finds a hook by our ID, or by the service's ID if it is unique. Rejects with `NOT_FOUND`. */
export async function findHook(client: Caller, hookId: string): Promise<Hook> {
  const { hooks } = await client.call('hooks.list', {})
  const own = hooks.find((hook) => hook.id === hookId)
  const [remote, ...others] = hooks.filter((hook) => hook.remoteId === hookId)
  const hook = own ?? (others.length === 0 ? remote : undefined)
  if (hook !== undefined) return hook
  throw new AppError(
    'NOT_FOUND',
    others.length === 0
      ? `Hook "${hookId}" not found. List hooks with "countersign hooks list".`
      : `Several hooks have the service ID "${hookId}". Use the ID from "countersign hooks list".`,
  )
}

async function openHook(
  { needData }: CommandRun,
  hookId: string,
): Promise<{ readonly client: Caller; readonly hook: Hook }> {
  const { client } = await needData(`Hook "${hookId}" not found`)
  return { client, hook: await findHook(client, hookId) }
}

function noteWarnings(output: Output, warnings: OutputOf<'hooks.add'>['warnings']): void {
  for (const warning of warnings) output.note(`Warning: ${withOrigin(warning)}`)
}

function refuseOffer(hook: Hook, offerId: string | undefined): void {
  if (offerId === undefined) return
  const [finding] = checkUpdateFields({ offerId }, null)
  if (finding !== undefined)
    throw new UsageError(
      `${finding.message} (rule ${finding.rule}, ${originOf(finding)}; hook ${hook.id})`,
    )
}

function isProgramMissing(error: unknown): error is AppError {
  const { details } = error instanceof AppError ? error : { details: null }
  return (
    Array.isArray(details) &&
    details.some((finding: { rule?: unknown }) => finding.rule === 'program-required')
  )
}

/** Returns the environment's only program. Rejects for none, or several, which it lists. */
async function onlyProgram(
  client: Caller,
  refusal: AppError,
  named: string | undefined,
): Promise<string> {
  const { environments } = await client.call('environments.list', {})
  const environment = named ?? environments.find(({ current }) => current)?.name ?? ''
  const objects = isSandboxEnvironment(environment)
    ? await client.call('sandbox.objects', { environment, kind: 'program' }).then(
        (listed) => listed.objects,
        // The programs of the hooks count even if the sandbox isn't running.
        () => [],
      )
    : []
  const { hooks } = await client.call('hooks.list', { environment })
  const programs = knownPrograms(
    environment,
    hooks,
    objects.map(({ id }) => id),
  )
  const [first, second] = programs
  if (first === undefined)
    throw new AppError(refusal.code, `${refusal.message} Use --program ID.`, {
      details: refusal.details,
      cause: refusal,
    })
  if (second === undefined) return first
  const titles = new Map(objects.map(({ id, title }) => [id, ` (${title})`]))
  const matches = programs.map((id) => `--program ${id}${titles.get(id) ?? ''}`).join(', ')
  throw new AppError(
    'INVALID_HOOK',
    `Found ${programs.length} programs in ${environment}. Choose one: ${matches}.`,
    {
      cause: refusal,
    },
  )
}
