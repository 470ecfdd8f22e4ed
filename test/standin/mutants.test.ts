/**
 * Runs the specs of the desktop app on changed builds: each spec must catch the changes that `mutants.ts` lists for it, and the real
 * build must pass all specs. This proves that the specs can fail on the stand-in.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/lib/chromium.ts'
import { desktopArguments } from '../e2e/hosts/desktop-host.ts'
import { launchHost } from '../e2e/hosts/standin.ts'
import { CHANGE_VARIABLE, changed, type Mutant, mutants } from './mutants.ts'
import { runToEnd } from './run.ts'
import { type Canary, specs, startCanary, type Subject } from './specs.ts'

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))

describe.skipIf(findChromium() === null)('the specs of the desktop app', () => {
  // One folder for all, so that only the first start creates certificates and a database.
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-mutants-'))
  let canary: Canary
  beforeAll(async () => {
    canary = await startCanary()
  })
  afterAll(() => {
    canary.close()
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })

  /** Starts the app; `env` may change its build. */
  async function start(env: NodeJS.ProcessEnv = process.env): Promise<Subject> {
    const host = await launchHost({ dataFolder, context: {}, env })
    const startAgain = async (...argv: readonly string[]) =>
      (await runToEnd(main, [...desktopArguments(dataFolder), ...argv], { env })).code
    return { ...host, dataFolder, canary, startAgain, provokes: () => {} }
  }

  test('pass on the real build', async () => {
    const subject = await start()
    try {
      for (const [index, [name, spec]] of Object.entries(specs).entries()) {
        // Each spec gets a fresh page; the last one ends the app.
        if (index > 0) await subject.page.reload({ waitUntil: 'commit' })
        await expect(spec(subject), name).resolves.toBeUndefined()
      }
    } finally {
      await subject.standin?.close(0)
    }
  })

  /** The spec's error; undefined if the mutant passes. */
  async function verdict({ spec, find, replace }: Mutant): Promise<string | undefined> {
    const env = { ...process.env, [CHANGE_VARIABLE]: JSON.stringify({ find, replace }) }
    const started = start(env)
    if (spec === 'start')
      return started.then(
        async ({ standin }) => void (await standin?.close(0)),
        (error: unknown) => String(error),
      )
    // If a mutant doesn't start, its spec hasn't caught it.
    const subject = await started
    try {
      return await specs[spec](subject).then(() => undefined, String)
    } finally {
      await subject.standin?.close(0)
    }
  }

  test.each(Object.entries(mutants))('catch a build that %s', async (_name, mutant) => {
    expect(await verdict(mutant)).toMatch(mutant.says)
  })
})

test('a change that fits the build in no place, or in several, is an error', () => {
  expect(() => changed('a b', { find: 'c', replace: '' })).toThrow('in 0 places')
  expect(() => changed('a b a', { find: 'a', replace: '' })).toThrow('in 2 places')
  expect(changed('a b', { find: 'a', replace: '' })).toBe(' b')
})
