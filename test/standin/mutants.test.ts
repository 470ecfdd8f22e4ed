/**
 * Runs the specs of the desktop app on changed builds: each spec must catch the changes that `mutants.ts` lists for it. This proves
 * that the specs, which the real build passes in `desktop.spec.ts`, can fail on the stand-in.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/lib/chromium.ts'
import { desktopArguments } from '../e2e/hosts/desktop-host.ts'
import { launchHost } from '../e2e/hosts/standin.ts'
import { times } from '../support/long-form.ts'
import { builds, CHANGE_VARIABLE, changed, type Mutant } from './mutants.ts'
import { runToEnd } from './run.ts'
import { type Canary, type SpecName, specs, startCanary, type Subject } from './specs.ts'

const specNames = Object.keys(specs) as SpecName[]
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

  /** The error of each spec in turn, on one app; undefined if it passes. The last one may end the app. */
  async function run(
    subject: Subject,
    names: readonly SpecName[],
  ): Promise<Map<SpecName, string | undefined>> {
    const errors = new Map<SpecName, string | undefined>()
    for (const name of names) {
      if (errors.size > 0) await subject.page.goto(subject.home, { waitUntil: 'commit' })
      errors.set(name, await specs[name](subject).then(() => undefined, String))
    }
    return errors
  }

  /** The errors of the specs of these mutants, on a build that has them all. */
  async function verdicts(
    build: readonly Mutant[],
  ): Promise<ReadonlyMap<Mutant['spec'], string | undefined>> {
    const changes = build.map(({ find, replace }) => ({ find, replace }))
    const starting = start({ ...process.env, [CHANGE_VARIABLE]: JSON.stringify(changes) })
    if (build.some(({ spec }) => spec === 'start')) {
      const error = await starting.then(
        async ({ standin }) => void (await standin?.close(0)),
        String,
      )
      return new Map([['start', error]])
    }
    // If a mutant doesn't start, its spec hasn't caught it.
    const subject = await starting
    try {
      return await run(
        subject,
        specNames.filter((name) => build.some(({ spec }) => spec === name)),
      )
    } finally {
      await subject.standin?.close(0)
    }
  }

  // The largest ones change most at once: `npm test` needs only two starts for ten changes.
  const largestFirst = builds().toSorted((a, b) => b.length - a.length)
  for (const build of largestFirst.slice(0, times(2, largestFirst.length)))
    describe(`with ${build.length} changed places`, () => {
      let errors: Awaited<ReturnType<typeof verdicts>>
      beforeAll(async () => {
        errors = await verdicts(build.map(([, mutant]) => mutant))
      })

      test.each(build)('catch a build that %s', (_name, { spec, says }) => {
        expect(errors.get(spec)).toMatch(says)
      })
    })
})

test('a change that fits the build in no place, or in several, is an error', () => {
  expect(() => changed('a b', { find: 'c', replace: '' })).toThrow('in 0 places')
  expect(() => changed('a b a', { find: 'a', replace: '' })).toThrow('in 2 places')
  expect(changed('a b', { find: 'a', replace: '' })).toBe(' b')
})
