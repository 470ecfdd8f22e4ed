/** `countersign environments`: manages accounts of the service. */
import { environmentCommands } from '../../shared/contract/nouns/hooks.ts'
import {
  environmentAddSchema,
  environmentUpdateSchema,
  type Environment,
} from '../../shared/model/environment.ts'
import { doctorOutcomes } from '../../shared/model/service-outcomes.ts'
import { defineCommand, defineGroup, JSON_LINES } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { argument, flagOption, flagOf, omitUndefined } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readChangedSecrets, readSecret, accountSecretOptions } from '../options/secret-options.ts'
import { type Cell, outcomeCell } from '../print.ts'

const accountOptions = optionsOf(environmentAddSchema)

const bearerOptions = [
  'clientId',
  'tokenUrl',
  'tokenForm',
  'tokenField',
  'refreshTokenField',
  'expiryField',
  'tokenRequestFields',
  'authHeader',
] as const

/** Throws for options of the other authentication, which can only be a mistake. */
function refuseOtherAuth(auth: 'service-key' | 'bearer', typed: readonly string[]): void {
  const others =
    auth === 'bearer' ? ['key', 'keyFile'] : [...bearerOptions, 'clientSecret', 'clientSecretFile']
  const misplaced = others.find((one) => typed.includes(one))
  if (misplaced === undefined) return
  const option = flagOf(misplaced, accountOptions[misplaced as (typeof bearerOptions)[number]])
  throw new UsageError(
    auth === 'bearer'
      ? `${option} is for service-key authentication. With --auth bearer, use --client-id, --client-secret and --token-url.`
      : `${option} is for bearer authentication. Add --auth bearer.`,
  )
}

function environmentCells(environment: Environment): Cell[] {
  const { current, name: accountName, mode, prefix, auth, ack, key } = environment
  return [
    current ? '*' : ' ',
    accountName,
    { text: mode, color: mode === 'live' ? 'red' : null },
    environment.baseUrl || '-',
    prefix,
    auth,
    ack,
    key ?? 'no key',
  ]
}

const name = argument('<name>', 'name of the environment')

export const add = defineGroup(
  'Manage environments: an account of the service in test or live mode.',
  {
    list: defineCommand({
      summary: 'list environments',
      description:
        'List environments: name, mode, base URL, header prefix, authentication, acknowledgement, key. A star marks the current one.',
      examples: [['List environments', 'environments list']],
      json: JSON_LINES,
      options: optionsOf(environmentCommands['environments.list'].input),
      async run(input, { findData, output }) {
        const session = await findData('No environments yet')
        if (session === null) return
        const { environments } = await session.client.call('environments.list', input)
        output.list(environments, environmentCells)
      },
    }),

    add: defineCommand({
      summary: 'add an environment',
      description: 'Add an environment: base URL, mode and credentials.',
      examples: [
        [
          'Add an account with a service key',
          'environments add staging --mode test --base-url https://api.example.com --key-file key.txt',
        ],
        [
          'Add an account with bearer authentication',
          'environments add next --mode live --base-url https://api.example.com --auth bearer --client-id my-app --client-secret-file client-secret.txt --token-url /oauth/token',
        ],
      ],
      args: { name },
      options: {
        ...accountOptions,
        ...accountSecretOptions({ withVariables: true }),
      },
      async run({ auth = 'service-key', ...input }, run) {
        refuseOtherAuth(auth, run.typed)
        const secretName = auth === 'bearer' ? 'clientSecret' : 'key'
        const secret = await readSecret(run, input, secretName)
        const account = {
          ...input,
          auth,
          key: undefined,
          clientSecret: undefined,
          [secretName]: secret,
        }
        run.output.list([await run.client.call('environments.add', account)], environmentCells)
      },
    }),

    update: defineCommand({
      summary: 'change an environment',
      description:
        'Change an environment. Options you omit keep their values; name and mode are fixed. A sandbox environment has only --prefix and --ca.',
      examples: [['Replace the key', 'environments update staging --key-file new-key.txt']],
      args: { name },
      options: {
        ...optionsOf(environmentUpdateSchema),
        ...accountSecretOptions({ withVariables: false }),
        noCa: flagOption("trust only the system's CA certificates").conflicts('caPem'),
        noProxy: flagOption('use no proxy').conflicts('proxy'),
        noTokenFields: flagOption('use the default token fields and send no extra ones'),
      },
      async run(input, run) {
        if (run.typed.every((option) => option === 'live'))
          throw new UsageError('Nothing to change. Add an option, such as --key-file FILE.')
        const defaults = {
          ...(input.noCa ? { caPem: null } : {}),
          ...(input.noProxy ? { proxy: null } : {}),
          ...(input.noTokenFields
            ? {
                tokenField: null,
                refreshTokenField: null,
                expiryField: null,
                tokenRequestFields: {},
              }
            : {}),
        }
        const secrets = await readChangedSecrets(run, input)
        const change = {
          ...defaults,
          ...omitUndefined(input),
          ...secrets,
          name: input.name,
        }
        run.output.list([await run.client.call('environments.update', change)], environmentCells)
      },
    }),

    use: defineCommand({
      summary: 'set the current environment',
      description: 'Set the current environment, the default for other commands.',
      examples: [['Set the current environment', 'environments use staging']],
      args: { name },
      options: optionsOf(environmentCommands['environments.use'].input),
      async run(input, { client, output }) {
        output.list([await client.call('environments.use', input)], environmentCells)
      },
    }),

    check: defineCommand({
      summary: 'test the connection to an environment',
      description:
        'Test the connection to an environment with one harmless call, which is shown: deleting a hook that does not exist.',
      exits: { 1: "the service can't be reached or rejects the credentials" },
      examples: [['Test the sandbox account', 'environments check sandbox-test']],
      args: {
        name: argument('[name]', 'name of the environment (default: the current one)'),
      },
      options: optionsOf(environmentCommands['environments.check'].input),
      async run(input, { needData, output }) {
        const { client } = await needData(
          input.name === undefined
            ? 'No environments yet'
            : `Environment "${input.name}" not found`,
        )
        const check = await client.call('environments.check', input)
        output.result(check, () => {
          const { outcome, sent, learned, status, body } = check
          output.line(
            `${output.paint(outcomeCell(doctorOutcomes[outcome], outcome))}  ${check.name}`,
          )
          if (sent !== null) output.line(`  Sent: ${sent}`)
          for (const sentence of learned) output.line(`  ${sentence}`)
          if (status === null) return
          output.line(`  Response: ${status}`)
          for (const line of body === null || body === '' ? [] : body.trimEnd().split('\n'))
            output.line(`    ${line}`)
        })
        return check.outcome === 'failed' ? EXIT.negative : EXIT.done
      },
    }),

    remove: defineCommand({
      summary: 'remove an environment',
      description:
        'Remove an environment and its key. An environment with hooks can\'t be removed: their deliveries need its prefix and mode. Remove the hooks for good first, with "countersign hooks remove HOOK --purge".',
      examples: [['Remove an account', 'environments remove staging']],
      args: { name },
      options: optionsOf(environmentCommands['environments.remove'].input),
      async run(input, { client, output }) {
        await client.call('environments.remove', input)
        output.result({ name: input.name }, input.name)
      },
    }),
  },
)
